// Steps in the shapes of an application in use: conversations of very different lengths, some users with most of them, a
// rhythm of days, model calls that carry the conversation so far, tools that fail now and then.

const DAY = 86_400_000
export const DAYS = 30
export const USERS = 2000
const WORDS =
  'order refund parcel invoice customer address payment delivery policy account ticket flight seat change cancel today tomorrow please thanks where when number email because already still again status return label price total note'.split(
    ' ',
  )
const MODELS = [
  ['openai', 'gpt-4o'],
  ['openai', 'gpt-4o-mini'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['google', 'gemini-2.5-flash'],
]
const TOOLS = 25

/** Returns numbers from 0 to 1 that follow from the seed alone. */
export const randomOf = (seed) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Yields the steps of one conversation after another, about `count` in all, and of each its thread. All of them began in
 * the thirty days before `until`.
 */
export function* conversations(count, until) {
  const random = randomOf(1)
  const below = (limit) => Math.floor(random() * limit)
  const text = (length) => {
    let made = ''
    while (made.length < length)
      made += `${WORDS[below(WORDS.length)]}${below(9) === 0 ? ` ${below(1e6)}` : ''} `
    return made.trimEnd()
  }
  /** Most are short, few very long. */
  const length = (middle, most) =>
    Math.min(most, Math.round(middle * Math.exp((random() + random() + random() - 1.5) * 1.6)))
  /** The first users have most of the conversations. */
  const user = () => Math.floor(USERS * random() ** 3)
  const begin = () => {
    const day = until - DAY * (1 + below(DAYS - 1))
    // Most people are awake by day.
    return day + DAY * (random() < 0.8 ? 0.3 + random() * 0.45 : random())
  }
  for (let made = 0, number = 0; made < count; number++) {
    const threadId = `b-${number}`
    const environment = random() < 0.85 ? 'prod' : random() < 0.7 ? 'staging' : 'dev'
    const turns =
      number === 1 ? Math.min(300, Math.ceil(count / 50)) : Math.min(60, length(2.2, 60) || 1)
    const steps = []
    let at = begin()
    const moment = (ms) => new Date(at + ms).toISOString()
    const said = []
    const push = (id, more) => {
      steps.push({ id: `${threadId}-${id}`, threadId, environment, ...more })
      return `${threadId}-${id}`
    }
    for (let turn = 0; turn < turns; turn++) {
      const question = text(length(80, 2000))
      said.push({ role: 'user', content: question })
      push(`${turn}-q`, {
        type: 'user_message',
        name: 'user',
        startTime: moment(0),
        output: { content: question },
      })
      const run = `${threadId}-${turn}-r`
      const rounds = 1 + below(4)
      let ms = 50
      const within = []
      for (let round = 0; round < rounds; round++) {
        const [provider, model] = MODELS[Math.floor(MODELS.length * random() ** 2)]
        const isLast = round === rounds - 1
        const tools = isLast ? 0 : 1 + below(3)
        const took = length(1500, 40_000)
        const answer = text(length(250, 4000))
        within.push({
          id: `${turn}-${round}-m`,
          type: 'llm',
          name: model,
          parentId: run,
          rootRunId: run,
          startTime: moment(ms),
          endTime: moment(ms + took),
          ...(random() < 0.004 ? { error: 'RateLimitError: too many requests' } : {}),
          generation: {
            type: 'CHAT',
            provider,
            model,
            messages: said.slice(-4),
            messageCompletion: { role: 'assistant', content: answer },
            inputTokenCount: 300 + said.length * 120,
            outputTokenCount: Math.ceil(answer.length / 4),
            ttFirstToken: Math.round(took / 5),
          },
        })
        ms += took
        for (let tool = 0; tool < tools; tool++) {
          const name = `tool_${Math.floor(TOOLS * random() ** 2)}`
          const lasted = length(300, 20_000)
          within.push({
            id: `${turn}-${round}-${tool}`,
            type: 'tool',
            name,
            parentId: run,
            rootRunId: run,
            startTime: moment(ms),
            endTime: moment(ms + lasted),
            input: { query: text(40), page: below(10) },
            output: { content: text(length(700, 8000)) },
            ...(random() < 0.02 ? { error: `TimeoutError: no answer of ${name}` } : {}),
          })
          ms += lasted
        }
        if (isLast) said.push({ role: 'assistant', content: answer })
      }
      push(`${turn}-r`, {
        type: 'run',
        name: 'agent',
        startTime: moment(40),
        endTime: moment(ms),
        ...(random() < 0.3 ? { tags: [`release ${below(12)}`] } : {}),
        ...(random() < 0.05
          ? { scores: [{ name: 'feedback', type: 'HUMAN', value: random() < 0.8 ? 1 : 0 }] }
          : {}),
      })
      for (const { id, ...step } of within) push(id, step)
      push(`${turn}-a`, {
        type: 'assistant_message',
        name: 'assistant',
        startTime: moment(ms),
        output: { content: said.at(-1).content },
      })
      at += ms + length(30_000, 600_000)
    }
    made += steps.length
    yield { threadId, user: user(), name: random() < 0.6 ? text(30) : undefined, steps }
  }
}
