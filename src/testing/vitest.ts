// A set-up file of vitest: adds the matchers to its `expect`, and their types.
import { expect } from 'vitest'
import { type StepwellMatchers, stepwellMatchers } from './matchers.js'

expect.extend(stepwellMatchers)

declare module 'vitest' {
  // biome-ignore-start lint/suspicious/noExplicitAny lint/correctness/noUnusedVariables: as the declaration that this adds to
  interface Matchers<T = any> extends StepwellMatchers {}
  // biome-ignore-end lint/suspicious/noExplicitAny lint/correctness/noUnusedVariables: as above
}
