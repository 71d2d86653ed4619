// What a page costs as the table grows, and what the service adds to the bare SQL of a thread of 1,000 steps.
import { join } from 'node:path'
import { createService } from '@stepwell/server'
import { sql } from 'kysely'
import { StepwellClient } from 'stepwell'
import { openDatabase } from '../server/src/storage/database.js'
import { interleave, step, withFolder } from './support.js'

const SMALL = 1_000
const LARGE = 200_000
const ROUNDS = 15

await withFolder(async (folder) => {
  const fill = async (name: string, count: number) => {
    const service = await createService({ apiKey: 'bench', dataFolder: join(folder, name) })
    const { api } = new StepwellClient({ apiKey: 'bench', fetch: service.fetch })
    for (let sent = 0; sent < count; sent += 5_000)
      await api.sendSteps(
        Array.from({ length: Math.min(5_000, count) }, (_, index) =>
          step(`step-${sent + index}`, `thread-${Math.floor((sent + index) / 1_000)}`),
        ),
      )
    return { service, api }
  }
  const small = await fill('small', SMALL)
  const large = await fill('large', LARGE)
  const middle = async (api: StepwellClient['api']) =>
    (await api.getSteps({ first: 1, skip: 500 })).pageInfo.endCursor
  const [smallCursor, largeCursor] = [await middle(small.api), await middle(large.api)]
  const page = { first: 50, totalCount: false }
  const pages = await interleave(ROUNDS, {
    'newest of 1,000': () => small.api.getSteps(page),
    'newest of 200,000': () => large.api.getSteps(page),
    'behind row 500 of 1,000': () => small.api.getSteps({ ...page, after: smallCursor }),
    'behind row 500 of 200,000': () => large.api.getSteps({ ...page, after: largeCursor }),
  })
  console.log(`A page of 50 steps of 2 kB, medians of ${ROUNDS} rounds in turns:`)
  for (const [name, milliseconds] of Object.entries(pages))
    console.log(`  ${name.padEnd(28)} ${milliseconds.toFixed(1)} ms`)
  console.log(
    `  200,000 against 1,000: ${(pages['newest of 200,000'] / pages['newest of 1,000']).toFixed(2)} and ${(pages['behind row 500 of 200,000'] / pages['behind row 500 of 1,000']).toFixed(2)}`,
  )
  await large.service.close()
  await small.service.close()

  const bare = await openDatabase({ folder: join(folder, 'small', 'database') })
  const again = await createService({ apiKey: 'bench', dataFolder: join(folder, 'large') })
  const { api } = new StepwellClient({ apiKey: 'bench', fetch: again.fetch })
  const thread = await interleave(ROUNDS, {
    'bare SQL': () =>
      sql`SELECT * FROM steps WHERE thread_id = 'thread-0' ORDER BY coalesce(start_time, created_at), created_at, id`.execute(
        bare,
      ),
    getThread: async () => {
      const { length } = (await api.getThread('thread-0'))?.steps ?? []
      if (length !== 1_000) throw new Error(`expected 1,000 steps, got ${length}`)
    },
  })
  console.log(`\nA thread of 1,000 steps of 2 kB:`)
  for (const [name, milliseconds] of Object.entries(thread))
    console.log(`  ${name.padEnd(28)} ${milliseconds.toFixed(1)} ms`)
  console.log(`  ratio ${(thread.getThread / thread['bare SQL']).toFixed(2)}`)
  await again.close()
  await bare.destroy()
})
