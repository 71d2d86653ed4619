import { lexer } from 'marked'
import { expect, test } from 'vitest'
import { anchorsOf } from '../src/format/anchors.js'
import { addressOf, fileOf, resolveLink, withAddress } from '../src/pages/docs/doc-paths.js'

const FILES = new Set([
  'README.md',
  'concepts.md',
  'guides/recording.md',
  'reference/sdk/README.md',
])

test('an address is a page, or the index of a folder, or nothing', () => {
  expect(fileOf('/docs', FILES)).toBe('README.md')
  expect(fileOf('/docs/', FILES)).toBe('README.md')
  expect(fileOf('/docs/concepts', FILES)).toBe('concepts.md')
  expect(fileOf('/docs/reference/sdk', FILES)).toBe('reference/sdk/README.md')
  expect(fileOf('/docs/../package', FILES)).toBeUndefined()
  expect(fileOf('/docs/nothing', FILES)).toBeUndefined()
})

test('every file has an address that leads back to it', () => {
  for (const file of FILES) expect(fileOf(addressOf(file), FILES)).toBe(file)
})

test('a link is read from the folder of its page, and may lead out of the documentation', () => {
  expect(resolveLink('guides/recording.md', '../concepts.md#step-types')).toEqual({
    file: 'concepts.md',
    anchor: 'step-types',
  })
  expect(resolveLink('guides/recording.md', '#mask-values')).toEqual({
    file: 'guides/recording.md',
    anchor: 'mask-values',
  })
  expect(FILES.has(resolveLink('README.md', '../guides/recording.md').file)).toBe(false)
  expect(FILES.has(resolveLink('guides/recording.md', '../../../concepts.md').file)).toBe(false)
})

test('a snippet names the service that shows it, and other addresses stay', () => {
  const code = 'curl http://127.0.0.1:3000/v1/traces http://localhost:3000 http://127.0.0.1:30001'
  expect(withAddress(code, 'https://llm.example.org')).toBe(
    'curl https://llm.example.org/v1/traces https://llm.example.org http://127.0.0.1:30001',
  )
})

test('anchors are those of code hosts, and headings of one name are numbered', () => {
  expect(anchorsOf(lexer('# 1. `a_b`, C!\n\n## Same\n\n## Same\n\ntext'))).toEqual([
    '1-a_b-c',
    'same',
    'same-1',
  ])
})
