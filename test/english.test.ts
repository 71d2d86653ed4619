import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConstDirectiveNode, Kind, parse, type StringValueNode, visit } from 'graphql'
import { lexer, type Token, type Tokens } from 'marked'
import ts from 'typescript'
import { expect, test } from 'vitest'

// The language of the texts that users read: pages, descriptions of the schema, the UI, the command line, errors.
const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path))
    .map((path) => join(folder, path))

/** A paragraph, a cell, a description, a label or a message, and the file that has it. */
interface Text {
  where: string
  text: string
}

/** Quoted code and names keep their words. */
const withoutCode = (text: string) =>
  text
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/\s+/g, ' ')
    .trim()

const blocksOf = (tokens: readonly Token[]): string[] =>
  tokens.flatMap((token) => {
    const { type, tokens = [], items = [], header = [], rows = [] } = token as Tokens.Generic
    if (type === 'code' || type === 'html') return []
    const cells = [...header, ...rows.flat()] as Tokens.TableCell[]
    if (cells.length > 0) return cells.map(({ text }) => text)
    if (type === 'paragraph' || type === 'text' || type === 'heading') return [token.raw]
    return [...blocksOf(tokens), ...blocksOf(items)]
  })

/** The pages written from docstrings and the schema have their texts there. */
const isPage = (path: string) => !/^docs\/reference\/(sdk|graphql)/.test(path)
const readPages = (): Text[] =>
  [
    ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
    ...['bench', 'compat', 'deploy', 'e2e', 'server', 'web'].map((folder) => `${folder}/README.md`),
    ...filesIn('docs', /\.md$/).filter(isPage),
  ].flatMap((where) =>
    blocksOf(lexer(read(where))).map((text) => ({
      where,
      text: withoutCode(text.replace(/\]\([^)]*\)/g, ']')),
    })),
  )

const readSchema = (): Text[] =>
  filesIn('schema', /^[a-z]+\.graphql$/).flatMap((where) => {
    const texts: Text[] = []
    const keep = (text: string) => texts.push({ where, text: withoutCode(text) })
    const describe = (node: { description?: StringValueNode | undefined }) => {
      for (const part of node.description?.value.split('\n\n') ?? []) keep(part)
    }
    const meaning = ({ arguments: given = [] }: ConstDirectiveNode) => {
      for (const { name, value } of given)
        if (name.value === 'meaning' && value.kind === Kind.STRING) keep(value.value)
    }
    visit(parse(read(where)), {
      enter: (node) => {
        if ('description' in node) describe(node as { description?: StringValueNode })
        if (node.kind === Kind.DIRECTIVE) meaning(node as ConstDirectiveNode)
      },
    })
    return texts
  })

/** The texts in a program: what stands between tags, and strings of several words. */
const textsOf = (where: string): Text[] => {
  const kind = where.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(where, read(where), ts.ScriptTarget.Latest, true, kind)
  const texts: Text[] = []
  const add = (text: string) => {
    if (/[a-z]{2,}[^a-z]* [a-z]/i.test(text) && !SQL.test(text))
      texts.push({ where, text: withoutCode(text) })
  }
  const follow = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node)) return
    if (ts.isJsxText(node) || ts.isStringLiteralLike(node)) add(node.text)
    if (ts.isTemplateExpression(node))
      add(node.head.text + node.templateSpans.map(({ literal }) => `CODE${literal.text}`).join(''))
    ts.forEachChild(node, follow)
  }
  follow(source)
  return texts
}
const SQL = /\b(SELECT|FROM|WHERE|UPDATE|INSERT|CREATE|CASE|SET|AND|NULL)\b/
const readPrograms = (): Text[] =>
  [
    ...filesIn('web/src', /\.tsx?$/),
    ...filesIn('src/cli', /\.ts$/),
    ...filesIn('server/src', /^(?!.*migrations).*\.ts$/),
  ].flatMap(textsOf)

interface Rule {
  name: string
  broken: RegExp
  /** Sentences that break it, each in a way of its own, and one that does not. */
  bad: readonly string[]
  good: string
}

const RULES: readonly Rule[] = [
  {
    name: 'no clause with What, Whoever, Whether or How is a subject',
    broken: /(?:^|[.;:] )(?:What|Whoever|Whatever|Whether|How)\b(?! to\b)[^.?]*(?:[.;,:]|$)/,
    bad: ['What is read is kept.', 'It ends. Whoever waits is told.', 'How many rows there are'],
    good: 'How many rows? See the total.',
  },
  {
    name: 'a value is invalid; it is no value that can not be',
    broken: /\bcan(?:'t|not) be(?=[.,;:)]|$| (?:is|are|was|and|or)\b)|\bcan not\b/,
    bad: ["A split that can't be is rejected.", 'the folder can not be opened'],
    good: "The image can't be shown.",
  },
  {
    name: 'programs report, store and list; they do not say, know, tell or give',
    broken:
      /\b(?:service|server|client|SDK|database|UI|key|request|answer|page|schema|message|program|process|proxy|README|decision|table|command|engine|compiler)s? (?:says?|said|knows?|knew|gives?|gave|tells?|learns?)\b/,
    bad: ['The service says why.', 'a message knows its prompt', 'the key gives access'],
    good: 'The service reports the reason.',
  },
  {
    name: 'the usual word: rejected, omitted, presigned, timestamp, case-insensitive',
    broken:
      /\brefused\b|\b(?:when|if) absent\b|\bleft out\b(?= (?:where|when))|\b(?<!pre)[Ss]igned URLs?\b|ISO 8601 moment|whatever the case|\bwhoever\b/,
    bad: ['the step was refused', '20 when absent', 'a signed URL', 'found, whatever the case'],
    good: 'The step was rejected.',
  },
  {
    name: 'British spelling',
    broken:
      /\b(?:summariz|recogniz|normaliz|organiz|behavior|color(?!-scheme)|neighbor|judgment|canceled|labeled|center(?!ed)|favorite)/i,
    bad: ['the color of a key', 'summarized by name'],
    good: 'The colour of a key.',
  },
]

/** Reads texts when they are first asked for, and keeps them: the programs take a second to parse. */
const once = (read: () => Text[]): (() => Text[]) => {
  let texts: Text[] | undefined
  return () => {
    texts ??= read()
    return texts
  }
}

const pages = once(readPages)
const schema = once(readSchema)
const programs = once(readPrograms)

for (const [kind, texts] of Object.entries({ pages, schema, programs }))
  test.each(RULES)(`${kind}: $name`, ({ broken }) => {
    const found = texts().filter(({ text }) => broken.test(text))
    expect(found.map(({ where, text }) => `${where}: ${text}`)).toEqual([])
  })

test.each(RULES)('the rule "$name" finds what breaks it', ({ broken, bad, good }) => {
  for (const text of bad) expect(text).toMatch(broken)
  expect(good).not.toMatch(broken)
})

const MAX_WORDS = 45
test('a description of the schema has at most 45 words a paragraph', () => {
  const long = schema().filter(({ text }) => text.split(' ').length > MAX_WORDS)
  expect(long).toEqual([])
})

test('each kind of text is read', () => {
  expect(pages().length).toBeGreaterThan(500)
  expect(schema().length).toBeGreaterThan(700)
  expect(programs().length).toBeGreaterThan(700)
})
