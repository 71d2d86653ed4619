import { testReleased } from './support/released.js'

const client = (version: string, least: number) => ({
  title: `literalai ${version}`,
  client: { environment: 'literalai', version },
  least,
})

await testReleased('test_literalai.py', [
  client('0.0.500', 66),
  client('0.0.607', 82),
  client('0.0.625', 84),
  client('0.1.0', 86),
  client('0.1.201', 86),
  client('0.1.300', 86),
])
