// Facts about numbers and names: tokens, models, settings, errors, sessions and users.
import { answering, PLAYED, TOKENS } from './scenarios.js'
import { callsOf, type Fact, generationsOf, modelOf, type Watched } from './watched.js'

export const numbers = (watched: Watched): Fact[] => {
  const { exported, scenario, subject } = watched
  if (scenario.error !== undefined || scenario.endless) return []
  const { input, output, cached, reasoning } = TOKENS
  // Conventions differ on whether the input has what came from the cache, which Anthropic counts apart.
  const inputs = subject.api === 'anthropic' ? [input, input + cached] : [input]
  const generations = generationsOf(watched)
  const usages = generations.map(({ usage }) => usage)
  const facts: Fact[] = [
    {
      aspect: 'tokens',
      name: 'input and output',
      // Some count the parts apart.
      isExported: exported.hasNumber(output) || exported.hasNumber(output - reasoning),
      isUnderstood: generations.some(
        (one) => one.outputTokenCount === output && inputs.includes(one.inputTokenCount ?? 0),
      ),
    },
    {
      aspect: 'token parts',
      name: 'from the cache',
      isExported: exported.hasNumber(cached),
      isUnderstood: usages.some((one) => one?.cached === cached),
    },
  ]
  if (subject.api !== 'anthropic')
    facts.push({
      aspect: 'token parts',
      name: 'for reasoning',
      isExported: exported.hasNumber(reasoning),
      isUnderstood: usages.some((one) => one?.reasoning === reasoning),
    })
  return facts
}

export const names = (watched: Watched): Fact[] => {
  const { exported, scenario, session, steps, subject, user } = watched
  const { user: expected } = PLAYED
  const setting = subject.api === 'anthropic' ? 'max_tokens' : 'temperature'
  const generations = generationsOf(watched)
  const asked = modelOf(subject)
  const answered = answering(asked)
  const model = exported.hasText(answered) ? answered : asked
  const facts: Fact[] = [
    {
      aspect: 'model',
      name: model === answered ? 'that answers' : 'that is asked',
      isExported: exported.hasText(model),
      isUnderstood: generations.some((one) => one.model === model),
    },
    {
      aspect: 'settings',
      name: setting,
      isExported: exported.hasText(setting),
      isUnderstood: generations.some(
        (one) => (one.settings as Record<string, unknown> | null)?.[setting] === PLAYED[setting],
      ),
    },
    {
      aspect: 'session',
      name: 'of each step',
      isExported: exported.hasText(session),
      isUnderstood: steps.length > 0 && steps.every(({ threadId }) => threadId === session),
    },
    {
      aspect: 'user',
      name: 'of the thread',
      isExported: exported.hasText(expected),
      isUnderstood: user === expected,
    },
  ]
  if (scenario.error !== undefined) {
    const said = scenario.error
    facts.push({
      aspect: 'error',
      name: 'message',
      isExported: exported.hasText(said),
      isUnderstood: callsOf(watched).some(({ error }) => error?.includes(said)),
    })
  }
  return facts
}
