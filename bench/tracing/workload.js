// One run of an agent: a root with a retrieval, a model call (about 1 kB of prompt, 0.5 kB of answer) and a tool
// inside.
export const PROMPT =
  'You are an agent who helps people with their orders. Answer in one sentence. '.repeat(13)
export const ANSWER = 'Your order was shipped yesterday and arrives on Friday. '.repeat(9)
export const MESSAGES = [{ role: 'user', content: PROMPT }]
export const COMPLETION = { role: 'assistant', content: ANSWER }

let steps = 0
/** Returns a name with a marker by which the sink counts. */
export const name = (what) => `st3p-${++steps}-${what}`
export const STEPS_PER_RUN = 4
