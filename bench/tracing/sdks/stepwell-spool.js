// With every step on disk before the call returns.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Tracer } from 'stepwell/spool'
import { recording } from './stepwell.js'

export const create = async ({ url }) =>
  recording(
    new Tracer({
      apiKey: 'bench',
      apiUrl: url,
      onReport: () => {},
      spool: mkdtempSync(`${tmpdir()}/stepwell-spool-`),
    }),
  )
