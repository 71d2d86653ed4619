import type { Column } from '../../graphql/exporting/columns.js'
import type { ExportedRow, ExportPages } from '../../graphql/exporting/pages.js'
import { DomainError } from '../../kernel/errors.js'
import { BYTE_ORDER_MARK, csvHead, csvLine } from './csv.js'
import type { ExportCall, ExportFormat } from './request.js'

const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
}

/**
 * Streams an export. A page is read when the client has taken the one before, so a slow client holds one page and
 * nothing else. The first page is read before the answer begins: until then, errors have a status of their own. Later
 * ones break the connection off, without the last chunk that ends an answer: no client takes that for the end of a file.
 */
export const exportStream = async (
  { list, format, hasByteOrderMark }: ExportCall,
  columns: readonly Column[],
  pages: ExportPages,
  { report, end }: { report: (error: unknown) => void; end: () => void },
): Promise<Response> => {
  const write = (rows: readonly ExportedRow[]): string => {
    const text =
      format === 'csv'
        ? rows.map((row) => csvLine(columns, row)).join('')
        : rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    pages.wrote(rows.length, text.length)
    return text
  }
  const next = async (): Promise<string | undefined> => {
    const rows = await pages.next()
    return rows === undefined ? undefined : write(rows)
  }
  const head =
    format === 'csv' ? `${hasByteOrderMark ? BYTE_ORDER_MARK : ''}${csvHead(columns)}` : ''
  let text: string | undefined = head + ((await next()) ?? '')
  let failure: unknown
  let hasLeft = false
  const fail = (error: unknown): string | undefined => {
    failure = error
    end()
    // A page that was under way when the client left is no fault.
    if (!hasLeft && !(error instanceof DomainError)) report(error)
    return format === 'jsonl' ? errorLine(error) : undefined
  }
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Only bytes wake the reader; a page without rows has none.
        while (text === '') text = await next().catch(fail)
        if (text !== undefined) {
          controller.enqueue(encoder.encode(text))
          text = failure === undefined ? await next().catch(fail) : undefined
        } else if (failure !== undefined) controller.error(failure)
        else {
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
      'content-type': MEDIA_TYPES[format],
      'content-disposition': `attachment; filename="${list}-${day}.${format}"`,
      'cache-control': 'no-store',
    },
  })
}

/** Returns the last line of a broken export, for those who look at the file. No row has such a key. */
const errorLine = (error: unknown): string => {
  const { code, message } =
    error instanceof DomainError
      ? error
      : { code: 'INTERNAL', message: 'the service failed; its log has the details' }
  return `${JSON.stringify({ exportError: { code, message } })}\n`
}
