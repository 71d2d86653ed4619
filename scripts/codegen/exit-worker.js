// Writes the worker's program as a text, without comments and spaces.
import { readFileSync } from 'node:fs'
import { minify } from 'vite'

export const plugin = async () => {
  const file = new URL('../../src/outbox/exit/worker.cjs', import.meta.url)
  const { code } = await minify('worker.cjs', readFileSync(file, 'utf8'))
  return `/** Sends what is left when the process exits: src/outbox/exit/worker.cjs. */\nexport const EXIT_WORKER = ${JSON.stringify(code)}\n`
}
