// Every page and question as a project grows, over HTTP, at each size in turns, with memory and disk:
//
//   npm run build && node bench/scale.js postgres://… [SIZE…]      # a server, whose user may create databases
//   npm run build && node bench/scale.js embedded [SIZE…]
//
// SIZE is a number of steps: 1,000,000 and 10,000,000 without any, embedded 100,000 and 1,000,000. A million takes 5 GB of
// disk, and minutes to fill. Databases stay, in FOLDER too (`STEPWELL_SCALE`, default: the system's for temporary files), and
// are filled again only where they are missing. Needs `npm install --prefix e2e/web` and a Chromium of the system.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freshDatabase } from './databases.js'
import { atRest, copyTo, RARE, record } from './scale/fill.js'
import { requestsOfPages } from './scale/pages.js'
import { QUESTIONS } from './scale/questions.js'
import { startService } from './service.js'
import { sizesOf } from './sizes.js'

const [server, ...given] = process.argv.slice(2)
const isEmbedded = server === 'embedded'
const sizes = sizesOf(given, isEmbedded ? [100_000, 1_000_000] : [1_000_000, 10_000_000])
const ROUNDS = 40
const WARM_UP = 5
const engine = isEmbedded ? 'embedded' : 'PostgreSQL'
const work = join(process.env.STEPWELL_SCALE ?? tmpdir(), 'stepwell-scale')

/** Fills a database of a size, unless an earlier run did, and starts the service on it. */
const serviceOf = async (size) => {
  const folder = join(work, `${engine}-${size}`)
  const name = `stepwell_scale_${size}`
  const marker = join(folder, 'filled')
  const database = isEmbedded ? undefined : Object.assign(new URL(server), { pathname: name }).href
  if (!existsSync(marker)) {
    mkdirSync(folder, { recursive: true })
    if (!isEmbedded) await freshDatabase(server, name)
    const begun = performance.now()
    const first = await startService(folder, database)
    await record(first, size)
    await atRest(first, database)
    await first.stop()
    await copyTo(isEmbedded ? { folder: join(folder, 'database') } : { url: database }, size)
    const second = await startService(folder, database)
    await second.post(
      '/api/graphql',
      JSON.stringify({
        query: `mutation { ingestStep(id: "rare", type: tool, name: "rare", output: { content: "${RARE}" }) { ok } }`,
      }),
    )
    await atRest(second, database)
    await second.stop()
    writeFileSync(marker, '')
    const minutes = Math.round((performance.now() - begun) / 6000) / 10
    console.error(
      `${size.toLocaleString('en')} steps: filled, indexed and summed up in ${minutes} min`,
    )
  }
  const service = await startService(folder, database)
  await atRest(service, database)
  return { size, folder, database, ...service }
}

const megabytes = async ({ folder, database }) => {
  if (database === undefined)
    return Number(
      execFileSync('du', ['-sm', join(folder, 'database')], { encoding: 'utf8' }).split('\t')[0],
    )
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  const { rows } = await client.query(
    'SELECT pg_database_size(current_database())::float8 / 1e6 AS mb',
  )
  await client.end()
  return Math.round(rows[0].mb)
}

const quantile = (times, share) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]

const services = []
for (const size of sizes) services.push(await serviceOf(size))

/** Bodies of requests that are sent at once, by what they are for. */
const askedOf = new Map()
for (const service of services) {
  const pages = Object.entries(await requestsOfPages(service)).map(([name, bodies]) => [
    `page: ${name}`,
    bodies,
  ])
  const questions = Object.entries(QUESTIONS).map(([name, query]) => [
    name,
    [JSON.stringify({ query })],
  ])
  askedOf.set(service, new Map([...pages, ...questions]))
}

console.log(`${engine}, milliseconds until all of it was answered, p50 / p99 of ${ROUNDS}:`)
const heading = sizes.map((size) => size.toLocaleString('en').padStart(16)).join('')
console.log(`${''.padEnd(44)}${heading}   last to first, p50`)
for (const name of askedOf.get(services[0]).keys()) {
  const times = new Map(services.map((service) => [service, []]))
  const problems = new Set()
  for (let round = -WARM_UP; round < ROUNDS; round++)
    for (const service of services) {
      const begin = performance.now()
      await Promise.all(
        askedOf
          .get(service)
          .get(name)
          .map((body) =>
            service.post('/api/graphql', body).catch(({ message }) => problems.add(message)),
          ),
      )
      if (round >= 0) times.get(service).push(performance.now() - begin)
    }
  const middle = [...times.values()].map((list) => quantile(list, 0.5))
  const shown = [...times.values()].map((list, at) =>
    `${middle[at].toFixed(0)} / ${quantile(list, 0.99).toFixed(0)}`.padStart(16),
  )
  console.log(`${name.padEnd(44)}${shown.join('')}   ${(middle.at(-1) / middle[0]).toFixed(2)}`)
  for (const problem of problems) console.log(`    ${problem.slice(0, 200)}`)
}
const facts = {
  'memory of the service, MB at most': services.map(({ usage }) => usage().peak),
  'disk, MB': await Promise.all(services.map(megabytes)),
}
for (const [name, values] of Object.entries(facts))
  console.log(
    `${name.padEnd(44)}${values.map((value) => value.toLocaleString('en').padStart(16)).join('')}`,
  )
for (const { stop } of services) await stop()
