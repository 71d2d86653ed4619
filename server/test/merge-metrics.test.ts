import { expect, test } from 'vitest'
import { mergeMetrics } from '../src/workers/merge-metrics.js'

// Metrics of several processes in one text.
const of = (count: number) => `# HELP requests_total Answers.
# TYPE requests_total counter
requests_total{route="/a {b}",status="200"} ${count}
# HELP memory_bytes Memory.
# TYPE memory_bytes gauge
memory_bytes ${count * 10}
`

test('each sample is told apart by its process, below one description', () => {
  expect(
    mergeMetrics([
      [1, of(3)],
      [2, of(4)],
    ]),
  ).toBe(`# HELP requests_total Answers.
# TYPE requests_total counter
requests_total{worker="1",route="/a {b}",status="200"} 3
requests_total{worker="2",route="/a {b}",status="200"} 4
# HELP memory_bytes Memory.
# TYPE memory_bytes gauge
memory_bytes{worker="1"} 30
memory_bytes{worker="2"} 40
`)
})

test('a metric that one process alone has stands among the others', () => {
  const more = `# HELP more_total More.\n# TYPE more_total counter\nmore_total 1\n`
  const text = mergeMetrics([
    [1, of(1)],
    [2, `${more}${of(2)}`],
  ])
  expect(text).toContain('more_total{worker="2"} 1\n')
  expect(text.match(/^# HELP/gm)).toHaveLength(3)
  expect(text).toContain('memory_bytes{worker="1"} 10\nmemory_bytes{worker="2"} 20\n')
})
