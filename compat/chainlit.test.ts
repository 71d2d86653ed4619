import { testReleased } from './support/released.js'

const client = (version: string) => ({
  title: `Chainlit ${version}`,
  client: { environment: `chainlit-${version}` },
  least: 10,
})

await testReleased('test_chainlit.py', [client('1.2.0'), client('2.11.1')])
