import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunFixture } from '../../testing/index.js'

/** The variable by which a process of the application finds its plan: a folder. */
export const VARIABLE = 'STEPWELL_REPLAY'

/** The facts that a process of the application needs: written by the command, read by the module that Node loads first. */
export interface Plan {
  fixture: RunFixture
  /** The steps that answer, by their ids. */
  before: string[]
  /** True when there is a fork: what follows goes on by itself. */
  isForked: boolean
  /** Names of tools that work as they are. */
  live: string[]
  /** A regular expression of parts of texts that may differ. */
  ignore: string | undefined
  /** The model that is asked behind the fork. */
  model: string | undefined
  hasOtherPrompt: boolean
  /** True when nothing at all is sent. */
  isOffline: boolean
  /** The address of the service. */
  service: string
  /** The address by which the application reaches it. */
  relay: string | undefined
}

/** An event that a process of the application reports to the command. */
export type ReplayEvent =
  | { kind: 'loaded'; pid: number }
  | { kind: 'answered'; pid: number; step: string }
  | { kind: 'live'; pid: number; request: string }
  | { kind: 'problem'; pid: number; message: string }

export const planFile = (folder: string): string => join(folder, 'plan.json')

/** Notes an event at once and in one piece: the process may end at any moment, and others write too. */
export const tell = (folder: string, event: ReplayEvent): void =>
  appendFileSync(join(folder, 'events.jsonl'), `${JSON.stringify(event)}\n`)

/** Reads the events so far; none when no process told any. */
export const readEvents = (folder: string): ReplayEvent[] => {
  let text: string
  try {
    text = readFileSync(join(folder, 'events.jsonl'), 'utf8')
  } catch {
    return []
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ReplayEvent)
}
