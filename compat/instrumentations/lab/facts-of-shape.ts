// Facts about the tree of steps: parents, types and times.
import type { Step } from '../../../src/index.js'
import { PLAYED } from './scenarios.js'
import { callsOf, type Fact, generationsOf, hasCall, type Watched } from './watched.js'

export const shape = (watched: Watched): Fact[] => {
  const { steps, requests, scenario, subject, exported } = watched
  const calls = callsOf(watched)
  const own = calls.filter((step) => !isOfClient(step))
  const ids = new Set(steps.map(({ id }) => id))
  const msOf = ({ startTime, endTime }: Step) =>
    Date.parse(endTime ?? '') - Date.parse(startTime ?? '')
  const isExported = hasCall(watched)
  const facts: Fact[] = [
    {
      aspect: 'parent',
      name: 'of each call',
      isExported,
      isUnderstood:
        calls.length > 0 &&
        calls.every(({ parentId }) => parentId != null) &&
        steps.every(({ parentId }) => parentId == null || ids.has(parentId)),
    },
    {
      aspect: 'type',
      name: 'calls',
      isExported,
      isUnderstood: (own.length > 0 ? own : calls).length === requests,
    },
    {
      aspect: 'timing',
      name: 'start and end',
      isExported,
      isUnderstood: calls.length > 0 && calls.every((step) => msOf(step) > 0),
    },
  ]
  if (scenario.streams)
    facts.push({
      aspect: 'timing',
      name: 'first chunk',
      isExported: isExported && exported.hasText(FIRST_CHUNK),
      isUnderstood: generationsOf(watched).some(({ ttFirstToken }) => (ttFirstToken ?? 0) > 0),
    })
  const isNamed = exported.hasText(TOOL_NAME)
  for (const { result, city } of subject.runsTools ? (scenario.calls ?? []) : [])
    facts.push({
      aspect: 'type',
      name: 'tools that run',
      isExported,
      isUnderstood: steps.some(
        ({ type, name, input, output }) =>
          type === 'tool' &&
          (name === PLAYED.tool.name || !isNamed) &&
          JSON.stringify(input).includes(city) &&
          JSON.stringify(output).includes(result),
      ),
    })
  return facts
}
/** Returns true for the span of a client that watches itself, beside the instrumentation that watches it. */
const isOfClient = ({ metadata }: Step): boolean =>
  String((metadata as Record<string, unknown>)['otel.scope.name']).startsWith('com.anthropic.sdk')
const TOOL_NAME = /(?:tool\.name|toolCall\.name|tool_name)\W+(?:stringValue\W+)?weather/
const FIRST_CHUNK = /first[_ ]?(?:token|chunk)|completion_start_time|content\.completion\.chunk/i
