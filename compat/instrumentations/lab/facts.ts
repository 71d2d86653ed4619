// The facts of a scenario: for each, whether the bytes that were exported have it, and whether the steps do.
import { messages, tools } from './facts-of-messages.js'
import { shape } from './facts-of-shape.js'
import { names, numbers } from './facts-of-values.js'
import { type Aspect, type Fact, hasCall, type Watched } from './watched.js'

/** Returns the facts that a scenario should have. */
export const factsOf = (watched: Watched): Fact[] => {
  const facts = [
    ...shape(watched),
    ...messages(watched),
    ...tools(watched),
    ...numbers(watched),
    ...names(watched),
  ]
  const isThere = hasCall(watched)
  return facts.map((fact) => ({
    ...fact,
    isExported: fact.isExported && (isThere || OF_TRACES.has(fact.aspect)),
  }))
}
/** Aspects that a trace has without the call of a model. */
const OF_TRACES: ReadonlySet<Aspect> = new Set(['session', 'user'])
