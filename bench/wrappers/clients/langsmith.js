import { Client } from 'langsmith'
import { wrapOpenAI } from 'langsmith/wrappers'

export const create = async ({ openAI, url }) => {
  const client = new Client({ apiUrl: url, apiKey: 'bench' })
  return {
    openai: wrapOpenAI(openAI(), { client, tracingEnabled: true, project_name: 'bench' }),
    flush: () => client.awaitPendingTraceBatches(),
  }
}
