import { createInterface } from 'node:readline'
import { readClientOptions } from '../../client-options.js'
import { StepwellError } from '../../errors.js'
import { demandNone, readUsage } from '../usage.js'
import { relay } from './relay.js'

const HELP = `Usage: stepwell mcp [--write]

Serves the Model Context Protocol on standard input and output, for coding agents: it passes messages on to /mcp of the service
at STEPWELL_API_URL, with the key in STEPWELL_API_KEY.

  --write  offer the tool that writes scores, too, if the key may write
`

/** Serves agents that start a command, until standard input ends. */
export const mcp = async (args: readonly string[]): Promise<number> => {
  const usage = readUsage(args, HELP, [], ['write'])
  if (usage === undefined) return 0
  demandNone('mcp', usage.command)
  const { connection } = readClientOptions({ disabled: true })
  const { apiUrl, apiKey } = connection
  if (!apiKey)
    throw new StepwellError('STEPWELL_API_KEY: expected the key of a project, got none', {
      code: 'INVALID_ARGUMENT',
    })
  const answer = relay({
    url: `${apiUrl}/mcp${usage.has('write') ? '?write=true' : ''}`,
    apiKey,
    fetch: (url, init) => globalThis.fetch(url, init),
    // Standard output belongs to the protocol.
    write: (line) => process.stdout.write(`${line}\n`),
  })
  const running = new Set<Promise<void>>()
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const work: Promise<void> = answer(line).finally(() => {
      running.delete(work)
    })
    running.add(work)
  }
  await Promise.all(running)
  return 0
}
