import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'
import { toCamelCase, toSnakeCase } from '../src/spelling.js'
import { NAMED_APART, snakeName } from './support/names.js'

const { api } = new StepwellClient({ apiKey: 'k' })
const names = Object.keys(api)

/** Section 4 of the contract, 4.1 to 4.11, by the first name of each row. */
const CONTRACT =
  `getProjectId sendSteps getSteps getStep deleteStep create_step update_step createAttachment uploadFile
  update_attachment get_attachment delete_attachment getGenerations createGeneration upsertThread getThreads list_threads
  getThread deleteThread create_thread update_thread getUsers getUser createUser updateUser getOrCreateUser deleteUser
  getScores createScores createScore updateScore deleteScore getDatasets createDataset getDataset updateDataset
  deleteDataset createDatasetItem getDatasetItem deleteDatasetItem addStepToDataset addGenerationToDataset
  addGenerationsToDataset createExperiment createExperimentItem createPromptLineage getOrCreatePrompt createPrompt
  getPromptById getPrompt getPromptAbTesting updatePromptAbTesting getPromptWithQuery`.split(/\s+/)

test('all 53 operations of the contract exist in both spellings', () => {
  expect(CONTRACT).toHaveLength(53)
  for (const row of CONTRACT) {
    const camel = toCamelCase(row)
    expect(names).toContain(camel)
    expect(names).toContain(snakeName(camel))
  }
})

test('every method exists in both spellings', () => {
  for (const name of names) {
    const other = name.includes('_') ? (NAMED_APART[name] ?? toCamelCase(name)) : snakeName(name)
    expect(names, name).toContain(other)
  }
})

test('lists walk in both spellings', () => {
  for (const name of [
    'getSteps',
    'getGenerations',
    'getThreads',
    'listThreads',
    'getUsers',
    'getScores',
    'getAuditEntries',
  ] as const)
    for (const list of [api[name], api[toSnakeCase(name) as 'get_steps']])
      expect([typeof list, typeof list.all, typeof list.pages]).toEqual(Array(3).fill('function'))
})

test('methods do not need this', async () => {
  const { createScores } = api
  expect(await createScores([])).toEqual([])
})

test('the table of the reference has every operation in both spellings, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/reference/sdk/README.md'), 'utf8')
  const rows = [...page.matchAll(/^\| \[`(\w+)`\]\S+ \| `(\w+)` \| (\S)/gm)]
  // Two names for one operation.
  const expected = names.filter((name) => name !== 'create_prompt_lineage')
  // A name of one word is the same in both.
  const told = new Set(rows.flatMap(([, camel, snake]) => [camel, snake]))
  expect([...told].sort()).toEqual(expected.sort())
})
