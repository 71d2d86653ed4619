import { Client, RunTree } from 'langsmith'
import { COMPLETION, MESSAGES, name } from '../workload.js'

export const packages = ['langsmith']
export const entry = packages

export const create = async ({ url }) => {
  const client = new Client({ apiUrl: url, apiKey: 'bench' })
  const record = (run, outputs) => {
    void run.postRun()
    void run.end(outputs)
    void run.patchRun()
  }
  return {
    run: () => {
      const root = new RunTree({
        name: name('run'),
        run_type: 'chain',
        inputs: { content: 'Where is my order?' },
        client,
        project_name: 'bench',
        tracingEnabled: true,
      })
      void root.postRun()
      record(root.createChild({ name: name('search'), run_type: 'retriever' }), {
        documents: ['a', 'b'],
      })
      record(
        root.createChild({ name: name('model'), run_type: 'llm', inputs: { messages: MESSAGES } }),
        COMPLETION,
      )
      record(root.createChild({ name: name('tool'), run_type: 'tool', inputs: { order: 7 } }), {
        status: 'shipped',
      })
      void root.end({ output: 3 })
      void root.patchRun()
      return 3
    },
    flush: () => client.awaitPendingTraceBatches(),
  }
}
