// Compares the contract of the last release with the present schema.
//
//   node scripts/run.js scripts/contract.ts check    fails when a released client could break
//   node scripts/run.js scripts/contract.ts record   at a release: makes the schema in schema/ the released contract
import { writeFileSync } from 'node:fs'
import { printSchema } from 'graphql'
import {
  breakingChanges,
  RECORDED,
  readRecordedSchema,
  readSchema,
} from '../test/support/schema.js'

const [command] = process.argv.slice(2)
if (command === 'record') {
  writeFileSync(RECORDED, `${printSchema(readSchema())}\n`)
} else if (command === 'check') {
  const breaking = await breakingChanges(readRecordedSchema(), readSchema())
  for (const message of breaking) console.error(`breaking: ${message}`)
  if (breaking.length > 0) {
    console.error(
      'Released clients send documents that must stay valid for ever: add beside, and never instead.',
    )
    process.exitCode = 1
  }
} else {
  console.error('usage: node scripts/run.js scripts/contract.ts check|record')
  process.exitCode = 2
}
