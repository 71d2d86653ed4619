import { testReleased } from './support/released.js'

const client = (version: string, least: number) => ({
  title: `an application of Chainlit ${version}`,
  client: { environment: `chainlit-${version}` },
  least,
})

await testReleased('test_chat.py', [client('1.2.0', 10), client('2.11.1', 11)])
