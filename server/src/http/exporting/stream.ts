import type { Column } from '../../graphql/exporting/columns.js'
import type { ExportPages } from '../../graphql/exporting/pages.js'
import { DomainError } from '../../kernel/errors.js'
import { csvWriter } from './csv.js'
import { jsonlWriter } from './jsonl.js'
import { parquetWriter } from './parquet.js'
import type { ExportCall, ExportFormat } from './request.js'
import { NOTHING, type RowWriter } from './row-writer.js'

const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

const writerOf = (
  { format, hasByteOrderMark }: ExportCall,
  columns: readonly Column[],
): RowWriter => {
  if (format === 'csv') return csvWriter(columns, hasByteOrderMark)
  return format === 'jsonl' ? jsonlWriter : parquetWriter(columns)
}

/**
 * Streams an export. A page is read when the client has taken the one before, so a slow client holds one page and
 * nothing else, or the rows of a group that Parquet has not ended. The first page is read before the answer begins: until
 * then, errors have a status of their own. Later ones break the connection off, without the last chunk that ends an
 * answer: no client takes that for the end of a file.
 */
export const exportStream = async (
  call: ExportCall,
  columns: readonly Column[],
  pages: ExportPages,
  {
    report,
    end,
    breakOff,
  }: {
    report: (error: unknown) => void
    end: () => void
    /** Closes the connection, if there is one, once the client was sent what was written. */
    breakOff: () => Promise<void>
  },
): Promise<Response> => {
  const writer = writerOf(call, columns)
  let isWhole = false
  /** Returns the bytes of the next page, those of the end after the last one, and then undefined. */
  const next = async (): Promise<Uint8Array | undefined> => {
    if (isWhole) return undefined
    const rows = await pages.next()
    if (rows === undefined) {
      isWhole = true
      return writer.end()
    }
    const { bytes, characters } = writer.write(rows)
    pages.wrote(rows.length, characters)
    return bytes
  }
  const head = writer.begin()
  let bytes: Uint8Array | undefined = Buffer.concat([head, (await next()) ?? NOTHING])
  let failure: unknown
  let hasLeft = false
  const fail = (error: unknown): Uint8Array | undefined => {
    failure = error
    end()
    // A page that was under way when the client left is no fault.
    if (!hasLeft && !(error instanceof DomainError)) report(error)
    const last = writer.fail(error)
    return last.length === 0 ? undefined : last
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Only bytes wake the reader; a page without rows has none.
        while (bytes?.length === 0) bytes = await next().catch(fail)
        if (bytes !== undefined) {
          controller.enqueue(bytes)
          bytes = failure === undefined ? await next().catch(fail) : undefined
        } else if (failure !== undefined) {
          await breakOff()
          controller.error(failure)
        } else {
          end()
          controller.close()
        }
      },
      cancel() {
        hasLeft = true
        end()
      },
    },
    { highWaterMark: 0 },
  )
  const day = new Date().toISOString().slice(0, 10)
  return new Response(body, {
    headers: {
      'content-type': MEDIA_TYPES[call.format],
      'content-disposition': `attachment; filename="${call.list}-${day}.${call.format}"`,
      'cache-control': 'no-store',
    },
  })
}
