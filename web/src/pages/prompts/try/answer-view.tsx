import { count } from '../../../format/number.js'
import { visible } from '../../../format/text.js'
import { duration } from '../../../format/time.js'
import { FailureNote } from '../../../ui/failure.js'
import { type Answer, stateOf } from './run.js'

/** An answer as far as it has come, with its tokens and times. */
export const AnswerView = ({ answer }: { answer: Answer | undefined }) => {
  if (answer === undefined) return <p className="quiet">not run</p>
  const { text, tools, problem, totalMs } = answer
  return (
    <>
      {text !== '' && (
        <pre className="value" dir="auto">
          {visible(text)}
        </pre>
      )}
      {tools.map((tool, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls have no ids
        <pre className="value" key={index}>
          {visible(`${tool.name}(${tool.arguments})`)}
        </pre>
      ))}
      <FailureNote error={problem} />
      <p className="quiet">
        {stateOf(answer)} · {count(answer.inputTokens ?? null)} →{' '}
        {count(answer.outputTokens ?? null)} tokens · first {duration(answer.firstMs)} · all{' '}
        {duration(totalMs)}
      </p>
    </>
  )
}
