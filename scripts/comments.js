// Fails when a sentence of a comment begins with a word that hides its subject or its verb: "Returns …" is read once,
// "What …" and "Gives …" twice. Docstrings that the reference shows are pages of the documentation, and not read here.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const OPENERS = /(?:^|[.] )((?:What|Whatever|Whether|Whoever|How|Gives(?! up)) [^.]*)/g
const FOLDERS = [
  'src',
  'server/src',
  'web/src',
  'test',
  'server/test',
  'web/test',
  'e2e',
  'bench',
  'scripts',
  'compat',
]

const root = dirname(dirname(fileURLToPath(import.meta.url)))
// Not by `recursive`, which goes into node_modules, where links lead back here.
const filesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(path)
    return /\.[cm]?[jt]sx?$/.test(entry.name) ? [path] : []
  })

/** Returns the comments of a file that have lines of their own, each with its first line. */
const commentsOf = (file) => {
  const comments = []
  for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    const [, sign, text] = /^\s*(\/\/|\/\*\*?|\*)(?: (.*?))?(?:\s*\*\/)?$/.exec(line) ?? []
    const last = comments.at(-1)
    if (sign === undefined) continue
    if (last?.end === index - 1 && !sign.startsWith('/*') && text) {
      last.text += ` ${text}`
      last.end = index
    } else comments.push({ at: index + 1, end: index, text: text ?? '' })
  }
  return comments
}

const oneLine = (text) => text.replace(/[`\\]/g, '').replace(/\s+/g, ' ')
const reference = oneLine(
  readdirSync(join(root, 'docs/reference/sdk'))
    .map((name) => readFileSync(join(root, 'docs/reference/sdk', name), 'utf8'))
    .join('\n'),
)

const found = FOLDERS.flatMap(filesIn).flatMap((file) =>
  commentsOf(file).flatMap(({ at, text }) =>
    [...text.matchAll(OPENERS)]
      .filter(([, sentence]) => !reference.includes(oneLine(sentence)))
      .map(([, sentence]) => `${file}:${at}: ${sentence}`),
  ),
)
for (const line of found)
  console.error(`${line}\n  begin with a verb that says what the code does, or with the noun`)
process.exitCode = found.length === 0 ? 0 : 1
