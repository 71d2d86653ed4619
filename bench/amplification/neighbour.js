// A well-behaved client of another project, in a separate process: records a step and reads it, ten times a second, and
// reports the duration of each call. It ends with the program that started it.
const [url, apiKey] = process.argv.slice(2)
const EVERY_MS = 100
let times = []
let refused = []
let count = 0

const ask = async (query, variables) => {
  const begin = performance.now()
  try {
    const response = await fetch(`${url}/api/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(30_000),
    })
    const { errors } = await response.json()
    if (response.status !== 200 || errors) refused.push(errors?.[0]?.message ?? response.status)
  } catch (error) {
    refused.push(String(error.cause ?? error))
  }
  times.push(performance.now() - begin)
}

setInterval(async () => {
  const id = `n${count++}`
  const step = { id, threadId: 't', type: 'tool', name: 'look_up', input: { content: 'x' } }
  await ask('mutation($s: [StepInput!]!) { ingestSteps(steps: $s) { ok } }', { s: [step] })
  await ask('query($id: String!) { step(id: $id) { id name input } }', { id })
}, EVERY_MS)

process.on('message', () => {
  process.send({ times, refused })
  times = []
  refused = []
})
process.on('disconnect', () => process.exit())
