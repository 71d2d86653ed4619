// Prints the tests that failed, and the beginning of each reason: the last of a long output is read first.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const MAX_TESTS = 20
const MAX_REASON = 1500

const [folder] = process.argv.slice(2)
const failed = []
for (const file of readdirSync(folder)) {
  const { testResults } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
  for (const { name, message, status, assertionResults } of testResults) {
    const where = `${file.replace('.json', '')}: ${relative('.', name)}`
    const tests = assertionResults.filter((test) => test.status === 'failed')
    for (const { fullName, failureMessages } of tests)
      failed.push(`${where}: ${fullName}\n${failureMessages.join('\n').slice(0, MAX_REASON)}`)
    if (status === 'failed' && tests.length === 0)
      failed.push(`${where}\n${(message ?? '').slice(0, MAX_REASON)}`)
  }
}
for (const one of failed.slice(0, MAX_TESTS)) console.log(`\n-- FAILED: ${one}`)
if (failed.length > MAX_TESTS) console.log(`\n-- and ${failed.length - MAX_TESTS} others`)
