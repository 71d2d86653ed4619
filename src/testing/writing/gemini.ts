import { argumentsOf, defined, inputOf, sumOf, type Told } from './told.js'
import { events, json, type Writer } from './writer.js'

/** Writes answers of Gemini. */
export const writeCandidate: Writer = (told, { url }) => {
  const { id, model, parts, calls, finishReason = 'STOP' } = told
  const whole = defined({
    responseId: id,
    modelVersion: model,
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts: [
            ...parts.map((part) =>
              part.type === 'text'
                ? { text: part.text }
                : part.type === 'thinking'
                  ? { text: part.thinking, thought: true }
                  : part,
            ),
            ...calls.map((call) => ({
              functionCall: { id: call.id, name: call.name, args: argumentsOf(call) },
            })),
          ],
        },
        finishReason,
      },
    ],
    usageMetadata: usageOf(told),
  })
  if (!/:streamGenerateContent/i.test(url)) return json(whole)
  return /[?&]alt=sse\b/.test(url) ? events([whole]) : json([whole])
}

const usageOf = ({ usage }: Told) =>
  usage &&
  defined({
    promptTokenCount: inputOf(usage),
    cachedContentTokenCount: usage.cached,
    candidatesTokenCount: sumOf(usage, ['output', 'audioOutput', 'imageOutput']),
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: usage.total,
  })
