import { builtin } from '../../builtin.js'
import { StepwellError } from '../../errors.js'
import type { Evaluation } from '../evaluation.js'
import type { EvaluationFiles } from '../options.js'
import { junitOf } from './junit.js'
import { markdownOf } from './markdown.js'

/** Writes an evaluation to files; creates their folders. */
export const writeFiles = async (
  evaluation: Evaluation,
  files: EvaluationFiles = {},
): Promise<void> => {
  const write = (path: string | undefined, text: () => string) => {
    if (path === undefined) return
    const fs = builtin('node:fs')
    const paths = builtin('node:path')
    if (fs === undefined || paths === undefined)
      throw new StepwellError('files: this platform has none', { code: 'INVALID_ARGUMENT' })
    fs.mkdirSync(paths.dirname(paths.resolve(path)), { recursive: true })
    fs.writeFileSync(path, text())
  }
  write(files.junit, () => junitOf(evaluation))
  write(files.json, () => `${JSON.stringify(evaluation, null, 2)}\n`)
  write(files.markdown, () => markdownOf(evaluation))
}
