// Stores the data that the legacy clients' own test suites expect in a project, to run them:
//
//   STEPWELL_API_KEY=… STEPWELL_API_URL=… node scripts/run.js compat/seed.ts
import { StepwellClient } from 'stepwell'

const { STEPWELL_API_KEY = '', STEPWELL_API_URL = 'http://localhost:3000' } = process.env
const { api } = new StepwellClient({ apiKey: STEPWELL_API_KEY, apiUrl: STEPWELL_API_URL })

if ((await api.getDatasets()).length === 0) await api.createDataset({ name: 'a dataset' })

const lineage = await api.createPromptLineage('Default')
// The SDK leaves defaults of variables to the web UI, as the old clients did; the contract has them.
const response = await fetch(`${STEPWELL_API_URL}/api/graphql`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': STEPWELL_API_KEY },
  body: JSON.stringify({
    query: `mutation($lineageId: String!, $templateMessages: Json, $settings: Json, $variablesDefaultValues: Json) {
      createPromptVersion(lineageId: $lineageId, templateMessages: $templateMessages, settings: $settings,
        variablesDefaultValues: $variablesDefaultValues) { version }
    }`,
    variables: {
      lineageId: lineage?.id,
      templateMessages: [
        {
          role: 'user',
          content:
            'Hello, this is a {{test_var}} and this\n\n{{#items}}\n* {{.}}\n{{/items}}\n\nis a templated list.',
        },
      ],
      settings: { provider: 'openai', model: 'gpt-4o', temperature: 1 },
      variablesDefaultValues: { test_var: 'test value', items: ['item 0', 'item 1', 'item 2'] },
    },
  }),
})
console.log(await response.text())
