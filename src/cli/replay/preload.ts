// Node loads this module before the application, in each of its processes: `--import` in NODE_OPTIONS.
import { readFileSync } from 'node:fs'
import { answerFrom } from './answer-from.js'
import { answerTools } from './answer-tools.js'
import { type Plan, planFile, tell, VARIABLE } from './plan.js'
import { watchOthers } from './watch-others.js'

const folder = process.env[VARIABLE]
if (folder !== undefined) {
  tell(folder, { kind: 'loaded', pid: process.pid })
  const plan = JSON.parse(readFileSync(planFile(folder), 'utf8')) as Plan
  const record = answerFrom(plan, folder)
  globalThis.fetch = record.fetch
  watchOthers(record)
  if (record.hasTools) await answerTools(record)
}
