import { expect, test } from 'vitest'
import { expectedRows, type Plan } from '../src/lists/count.js'

// As Citus 13 explains `SELECT 1 FROM steps s WHERE s.project_id = 'p'`.
const explained = (tasks: number, shown: Plan): Plan => ({
  'Plan Rows': 100_000,
  'Distributed Query': {
    Job: { 'Task Count': tasks, Tasks: [{ 'Remote Plan': [[{ Plan: shown }]] }] },
  },
})

test('a plan of one server expects the rows that it says', () => {
  expect(expectedRows({ 'Plan Rows': 12_345 })).toBe(12_345)
})

test('a plan of many servers expects those of one task, times the tasks, and not what the coordinator says', () => {
  expect(expectedRows(explained(8, { 'Plan Rows': 1500 }))).toBe(12_000)
})

test('a plan whose tasks are not shown expects what it says', () => {
  expect(
    expectedRows({ 'Plan Rows': 7, 'Distributed Query': { Job: { 'Task Count': 8, Tasks: [] } } }),
  ).toBe(7)
})
