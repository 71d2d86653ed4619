import * as ai5 from 'ai-5'
import * as ai6 from 'ai-6'
import * as ai7 from 'ai-7'
import { createOpenAI as createOpenAI2 } from 'ai-sdk-openai-2'
import { createOpenAI as createOpenAI3 } from 'ai-sdk-openai-3'
import { createOpenAI as createOpenAI4 } from 'ai-sdk-openai-4'
import { stepwellIntegration, stepwellTelemetry } from '../../src/hooks/ai-sdk/index.js'
import type { Recording } from '../../src/testing/index.js'

/** A version of the AI SDK with its provider of OpenAI, in the types of version 6. */
export interface Version {
  name: '5' | '6' | '7'
  ai: typeof ai6
  create: typeof createOpenAI3
  /** Returns the settings of a call that record it; none without a recording. */
  hooked(recording: Pick<Recording, 'stepwell'> | undefined, settings?: object): object
}

type Ai = typeof ai6
type Create = typeof createOpenAI3

const bySpans: Version['hooked'] = (recording, settings = {}) =>
  recording === undefined
    ? {}
    : { experimental_telemetry: stepwellTelemetry(recording.stepwell, settings) }

const byEvents: Version['hooked'] = (recording, settings = {}) =>
  recording === undefined
    ? {}
    : { telemetry: { ...settings, integrations: [stepwellIntegration(recording.stepwell)] } }

export const VERSIONS: readonly Version[] = [
  {
    name: '5',
    ai: ai5 as unknown as Ai,
    create: createOpenAI2 as unknown as Create,
    hooked: bySpans,
  },
  { name: '6', ai: ai6, create: createOpenAI3, hooked: bySpans },
  {
    name: '7',
    ai: ai7 as unknown as Ai,
    create: createOpenAI4 as unknown as Create,
    hooked: byEvents,
  },
]
