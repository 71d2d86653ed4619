import { builtin } from '../../builtin.js'
import { invalidArgument } from '../../errors.js'
import { makeFolder } from '../../outbox/spool/make-folder.js'
import type { Evaluation } from '../evaluation.js'
import type { EvaluationFiles } from '../options.js'
import { junitOf } from './junit.js'
import { markdownOf } from './markdown.js'

const KINDS = ['junit', 'json', 'markdown'] as const

const TEXTS: Record<(typeof KINDS)[number], (evaluation: Evaluation) => string> = {
  junit: junitOf,
  json: (evaluation) => `${JSON.stringify(evaluation, null, 2)}\n`,
  markdown: markdownOf,
}

/**
 * Makes the folders of files, and asks if they can be written: a run that costs hours and dollars must not end with a path
 * that never could.
 *
 * @throws StepwellError that names the option.
 */
export const prepareFiles = (files: EvaluationFiles = {}): void => {
  for (const kind of KINDS) {
    const path: unknown = files[kind]
    if (path === undefined) continue
    if (typeof path !== 'string' || path === '')
      throw invalidArgument(`files.${kind}: expected the path of a file`)
    const { fs, paths } = platformFiles()
    const folder = paths.dirname(paths.resolve(path))
    naming(kind, path, () => {
      makeFolder(fs, folder, {})
      const isThere = fs.existsSync(path)
      if (isThere && fs.statSync(path).isDirectory()) throw new Error('it is a folder')
      fs.accessSync(isThere ? path : folder, fs.constants.W_OK)
    })
  }
}

/** Writes an evaluation to files. One that fails keeps none of the others from being written. */
export const writeFiles = (evaluation: Evaluation, files: EvaluationFiles = {}): void => {
  const failures: unknown[] = []
  for (const kind of KINDS) {
    const path = files[kind]
    if (path === undefined) continue
    try {
      naming(kind, path, () => platformFiles().fs.writeFileSync(path, TEXTS[kind](evaluation)))
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

const platformFiles = () => {
  const fs = builtin('node:fs')
  const paths = builtin('node:path')
  if (fs === undefined || paths === undefined)
    throw invalidArgument('files: this platform has none')
  return { fs, paths }
}

const naming = (kind: string, path: string, work: () => void): void => {
  try {
    work()
  } catch (error) {
    throw invalidArgument(
      `files.${kind}: expected a file that can be written, got ${JSON.stringify(path)}: ${(error as Error).message}`,
    )
  }
}
