import fs from 'node:fs'
import { StepwellError } from '../../errors.js'
import { writeOut } from '../write-out.js'
import type { ReportFile } from './report.js'

/** The work whose progress is kept. */
type Work = 'import' | 'export'

/** The progress of an import, or of an export to another product. */
interface Progress {
  format: `stepwell-${Work}`
  version: 1
  /** The source and the service. */
  of: string
  /** Stages that are done. */
  done: string[]
  /** The place in the stage that is not. */
  stage?: string
  place?: unknown
  report: ReportFile
}

/** Keeps in a file how far a command has come, so that the same one goes on there. */
export class Checkpoint {
  readonly #path: string | undefined
  readonly #of: string
  readonly #work: Work
  readonly #progress: Progress | undefined

  constructor(path: string | undefined, of: string, work: Work = 'import') {
    this.#path = path
    this.#of = of
    this.#work = work
    this.#progress = path !== undefined && fs.existsSync(path) ? read(path, of, work) : undefined
  }

  get report(): ReportFile | undefined {
    return this.#progress?.report
  }

  isDone(stage: string): boolean {
    return this.#progress?.done.includes(stage) === true
  }

  placeIn(stage: string): unknown {
    return this.#progress?.stage === stage ? this.#progress.place : undefined
  }

  /** Writes another file first: an end in the middle leaves the old one. */
  save(done: readonly string[], stage: string | undefined, place: unknown, report: ReportFile) {
    if (this.#path === undefined) return
    const progress: Progress = {
      format: `stepwell-${this.#work}`,
      version: 1,
      of: this.#of,
      done: [...done],
      ...(stage === undefined ? {} : { stage, place }),
      report,
    }
    const part = `${this.#path}.part`
    writeOut(part, JSON.stringify(progress))
    fs.renameSync(part, this.#path)
  }
}

const read = (path: string, of: string, work: Work): Progress => {
  let progress: Partial<Progress> | null
  try {
    progress = JSON.parse(fs.readFileSync(path, 'utf8'))
  } catch {
    progress = null
  }
  const wrong = (expected: string) =>
    new StepwellError(
      `--resume: expected ${expected} in ${JSON.stringify(path)}; name another file`,
      {
        code: 'INVALID_ARGUMENT',
      },
    )
  if (progress?.format !== `stepwell-${work}` || progress.version !== 1)
    throw wrong(`the progress of an ${work}`)
  if (progress.of !== of)
    throw wrong(
      work === 'import'
        ? 'the progress of this import, with the same source and service'
        : 'the progress of this export, with the same service, receiver and filter',
    )
  return progress as Progress
}
