// A service in memory as a process of its own, for tests that block: it tells its URL, and an API key for each project
// that it was asked to make. `node scripts/run.js test/support/service-program.ts PROJECTS`
import { createService, listen } from '@stepwell/server'

const service = await createService()
const { url } = await listen(service, '127.0.0.1', 0)
const apiKeys: string[] = []
for (let index = 0; index < Number(process.argv[2]); index++)
  apiKeys.push((await service.createProject(`project ${index}`)).apiKey)
process.stdout.write(`${JSON.stringify({ url, apiKeys })}\n`)
