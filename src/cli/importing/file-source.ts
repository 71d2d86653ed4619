import { basename } from 'node:path'
import { expanded, filesOf, recordsOf } from './files.js'
import type { Report } from './report.js'
import { type Fields, isFields } from './values.js'

interface PlacedRecord {
  record: Fields
  place: string
}

/** Reads the records of a file or folder as often as stages need them; what is broken is noted once. */
export const readFileSource = (path: string, report: Report) => {
  const { files, ignored } = filesOf(path)
  async function* records(isFirst: boolean): AsyncGenerator<PlacedRecord> {
    const note = (what: 'dropped' | 'changed', why: string, place: string) => {
      if (!isFirst) return
      report.read('records of files')
      if (what === 'dropped') report.dropped('records of files', why, place)
      else {
        report.kept('records of files')
        report.changed('records of files', why, place)
      }
    }
    if (isFirst)
      for (const name of ignored)
        note('dropped', 'a file that is not JSON, JSONL or CSV', basename(name))
    for (const file of files)
      for await (const read of recordsOf(file)) {
        if ('problem' in read) {
          note('dropped', read.problem, read.place)
          continue
        }
        if (read.isNoUtf8)
          note('changed', 'bytes that are no UTF-8: U+FFFD stands for them', read.place)
        if (read.hasNoNumber) note('changed', 'NaN or Infinity: null, as JSON has none', read.place)
        for (const record of expanded(read.value)) {
          if (isFields(record)) yield { record, place: read.place }
          else note('dropped', 'expected an object', read.place)
        }
      }
  }
  return { first: () => records(true), again: () => records(false) }
}
