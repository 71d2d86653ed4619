// The built service in memory as a separate process, for tests that block: it reports its URL, and an API key for each
// project that it was asked to create. `node test/support/service-program.js PROJECTS`.
import { createService, listen } from '../../server/dist/src/index.js'

const [projects] = process.argv.slice(2)
// Alerts may call a port of this machine.
const service = await createService({ webhookHosts: ['127.0.0.1'] })
const { url } = await listen(service, '127.0.0.1', 0)
const apiKeys = []
for (let index = 0; index < Number(projects); index++)
  apiKeys.push((await service.createProject(`project ${index}`)).apiKey)
process.stdout.write(`${JSON.stringify({ url, apiKeys })}\n`)
