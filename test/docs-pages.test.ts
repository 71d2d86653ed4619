import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { lexer, type Token, type Tokens } from 'marked'
import { expect, test } from 'vitest'
import { LIST_FIELDS } from '../server/generated/list-fields.js'
import { DEFAULT_LIMITS } from '../server/src/kernel/limits.js'
import { type ListName, languageOf } from '../server/src/query/languages.js'
import { parseFilter } from '../server/src/query/parse.js'
import { HELP } from '../server/src/settings.js'
import { anchorsOf } from '../web/src/format/anchors.js'

// The text of the documentation's pages: the targets of links, the settings that they name, the length of paragraphs.
const root = join(import.meta.dirname, '..')
const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => join('docs', path))
const pages = ['README.md', 'CONTRIBUTING.md', 'bench/README.md', 'compat/README.md', ...inDocs]
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const flat = (tokens: readonly Token[]): Token[] =>
  tokens.flatMap((token) => {
    const { tokens = [], items = [], header = [], rows = [] } = token as Tokens.Generic
    const cells = [...header, ...rows.flat()] as Tokens.TableCell[]
    return [token, ...flat(tokens), ...flat(items), ...cells.flatMap((cell) => flat(cell.tokens))]
  })
const linksOf = (text: string): string[] => [
  ...flat(lexer(text)).flatMap((token) =>
    token.type === 'link' || token.type === 'image' ? [token.href as string] : [],
  ),
  // Pictures that differ by theme are HTML.
  ...[...text.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, target = '']) => target),
]

/** Returns the reason why a link is broken; undefined for a valid one. */
const faultOf = (page: string, link: string): string | undefined => {
  if (/^(https?|mailto):/.test(link)) return undefined
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (relative(root, join(root, target)).startsWith('..')) return 'leads out of the repository'
  if (!existsSync(join(root, target))) return 'no such file'
  if (anchor === undefined) return undefined
  if (statSync(join(root, target)).isDirectory()) return 'an anchor of a folder'
  return anchorsOf(lexer(read(target))).includes(anchor) ? undefined : 'no such heading'
}

test('every link and anchor leads somewhere', () => {
  const faults = pages.flatMap((page) =>
    linksOf(read(page)).flatMap((link) => {
      const fault = faultOf(page, link)
      return fault === undefined ? [] : [`${page}: ${link}: ${fault}`]
    }),
  )
  expect(faults).toEqual([])
})

test('a wrong file, a wrong heading and a way out of the repository are found', () => {
  expect(faultOf('docs/README.md', 'nothing.md')).toBe('no such file')
  expect(faultOf('docs/README.md', 'concepts.md#nothing')).toBe('no such heading')
  expect(faultOf('README.md', '../other.md')).toBe('leads out of the repository')
  expect(faultOf('docs/README.md', 'concepts.md#step-types')).toBeUndefined()
})

test('every page is reachable from the index', () => {
  const seen = new Set<string>()
  const follow = (page: string): void => {
    if (seen.has(page)) return
    seen.add(page)
    for (const link of linksOf(read(page))) {
      const [path = ''] = link.split('#')
      if (!/^https?:/.test(link) && path.endsWith('.md')) follow(join(dirname(page), path))
    }
  }
  follow('docs/README.md')
  expect(inDocs.filter((page) => !seen.has(page))).toEqual([])
})

test('every setting of the service and every limit is in the docs', () => {
  const settings = [...HELP.matchAll(/--[a-z-]+|\b(?:STEPWELL|DATABASE)_[A-Z_]*[A-Z]\b/g)]
    .map(([name]) => name)
    .filter((name) => name !== '--help')
  expect(settings.length).toBeGreaterThan(15)
  const configuration = read('docs/operate/configuration.md')
  for (const name of settings) expect(configuration, name).toContain(`\`${name}`)
  const limits = read('docs/operate/limits.md')
  for (const name of Object.keys(DEFAULT_LIMITS)) {
    const variable = `STEPWELL_LIMIT_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
    expect(limits, variable).toContain(`\`${variable}\``)
  }
})

test('every command is in the reference', () => {
  const page = read('docs/reference/cli.md')
  const [, help = ''] = /const HELP = `([^`]+)`/.exec(read('src/cli/main.ts')) ?? []
  const commands = [...help.matchAll(/^ {2}([a-z]+(?:-[a-z]+)*(?:, [a-z]+)*)/gm)].flatMap(
    ([, names = '']) => names.split(', '),
  )
  expect(commands.length).toBeGreaterThan(30)
  expect(commands.filter((name) => name !== 'help' && !page.includes(`\`${name}`))).toEqual([])
})

test('the reference has no member that is private', () => {
  const shown = pages.filter((path) => path.startsWith('docs/reference/sdk/')).map(read)
  expect(shown.join('\n').match(/^\| `#\w+`.*$/gm)).toBeNull()
})

test('every error code is explained', () => {
  const codes = [...read('schema/errors.graphql').matchAll(/^ {2}([A-Z_]+)$/gm)].map(([, c]) => c)
  expect(codes.length).toBeGreaterThan(8)
  const page = read('docs/reference/errors.md')
  for (const code of [...codes, 'NETWORK', 'TIMEOUT']) expect(page).toContain(`| \`${code}\` |`)
})

/** Commands that take a query: after their list, or as an option. */
const COMMANDS =
  /stepwell (?:find|list|query|export|download) (?:(threads|steps|generations|scores|users) )?(?:'([^'\n]+)'|[^\n]*--query '([^'\n]+)')/g
/** The query that the help of an option shows. */
const SHOWN = /--(?:query|where)\b.*(?: pass|text)[^:\n]*: ["']([^"'\n]+)["']/g
const LISTS: readonly ListName[] = ['threads', 'steps', 'generations', 'scores', 'participants']

test('every query of a command in the docs and in the help is understood by its list', () => {
  const helps = readdirSync(join(root, 'src/cli'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join('src/cli', path))
  const queries = [...pages, 'skills/stepwell/SKILL.md', ...helps].flatMap((path) => {
    const text = read(path)
    const commands = [...text.matchAll(COMMANDS)].map(([, list = 'steps', after, option]) => ({
      lists: LISTS.filter((name) => name === (list === 'users' ? 'participants' : list)),
      query: after ?? option ?? '',
    }))
    const shown = [...text.matchAll(SHOWN)].map(([of, query = '']) => ({
      // Options of commands for any list show what one of them takes.
      lists: of.includes('steps') ? LISTS.filter((name) => name === 'steps') : LISTS,
      query,
    }))
    return [...commands, ...shown].map((one) => ({ path, ...one }))
  })
  const faults = queries.flatMap(({ path, lists, query }) => {
    const mistakes = lists.map((list) => parseFilter(query, languageOf(LIST_FIELDS, list)).mistakes)
    return mistakes.every((some) => some.length > 0)
      ? [`${path}: ${query}: ${mistakes[0]?.[0]?.message}`]
      : []
  })
  expect(queries.length).toBeGreaterThan(10)
  expect(faults).toEqual([])
})

/** All but generated pages and dated records. */
const isWrittenByHand = (page: string) =>
  !/^docs\/(decisions|benchmarks|reference\/(sdk|graphql|filters))/.test(page)
const MAX_WORDS = 45

test('a paragraph of the docs has at most 45 words', () => {
  const long = inDocs.filter(isWrittenByHand).flatMap((page) =>
    flat(lexer(read(page))).flatMap((token) => {
      if (token.type !== 'paragraph') return []
      const words = (token.text as string).replace(/\]\([^)]*\)/g, ']').split(/\s+/)
      return words.length > MAX_WORDS ? [`${page}: ${words.length}: ${token.text}`] : []
    }),
  )
  expect(long).toEqual([])
})
