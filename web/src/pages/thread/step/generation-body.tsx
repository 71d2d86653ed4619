import { Link } from 'wouter'
import { segment } from '../../../address/segment.js'
import { quote } from '../../../filter/show.js'
import { count, plural, score as showScore } from '../../../format/number.js'
import { line } from '../../../format/text.js'
import { duration } from '../../../format/time.js'
import { PromptName } from '../../../parts/prompt-name.js'
import { ErrorText } from '../../../values/error-text.js'
import { Messages, MessageView } from '../../../values/messages.js'
import { ValueView } from '../../../values/value-view.js'
import { CostFacts } from './cost-facts.js'
import type { Step } from './use-step.js'

/** A model call: messages, settings, completion and speed. */
export const GenerationBody = ({ generation }: { generation: NonNullable<Step['generation']> }) => {
  // Computed here, as some clients send a rate that is a thousand times too large.
  const rate =
    generation.outputTokenCount !== null && generation.duration
      ? generation.outputTokenCount / generation.duration
      : null
  return (
    <>
      {generation.error !== null && <ErrorText text={generation.error} />}
      <dl className="facts">
        <dt>Model</dt>
        <dd>
          {generation.model === null ? (
            '–'
          ) : (
            <Link href={`/generations?q=${segment(`model=${quote(generation.model)}`)}`}>
              <bdi>{line(generation.model)}</bdi>
            </Link>
          )}
          {generation.provider !== null && (
            <span className="soft"> of {line(generation.provider)}</span>
          )}
        </dd>
        <dt>Tokens</dt>
        <dd>
          {count(generation.inputTokenCount)} → {count(generation.outputTokenCount)}
          <span className="soft"> ({count(generation.tokenCount)} in all)</span>
        </dd>
        <dt>Duration</dt>
        <dd>{duration(generation.duration === null ? null : generation.duration * 1000)}</dd>
        <dt>First token</dt>
        <dd>{duration(generation.ttFirstToken)}</dd>
        <dt>Throughput</dt>
        <dd>{rate === null ? '–' : `${showScore(rate)} tokens/s`}</dd>
        {generation.promptId !== null && (
          <>
            <dt>Prompt version</dt>
            <dd>
              <PromptName id={generation.promptId} />
            </dd>
          </>
        )}
      </dl>
      <CostFacts stepId={generation.id} />
      {generation.messageCompletion != null && (
        <section aria-label="Completion">
          <h3>Completion</h3>
          <MessageView message={generation.messageCompletion} />
        </section>
      )}
      {generation.completion !== null && (
        <ValueView title="Completion" value={generation.completion} />
      )}
      {generation.prompt !== null && <ValueView title="Prompt" value={generation.prompt} />}
      {generation.messages != null && (
        <section aria-label="Messages">
          <h3>
            {Array.isArray(generation.messages)
              ? plural(generation.messages.length, 'message')
              : 'Messages'}
          </h3>
          <Messages messages={generation.messages} />
        </section>
      )}
      {generation.settings != null && <ValueView title="Settings" value={generation.settings} />}
      {generation.tools != null && <ValueView title="Tools" value={generation.tools} />}
      {generation.variables != null && <ValueView title="Variables" value={generation.variables} />}
      {generation.metadata != null && (
        <ValueView title="Generation metadata" value={generation.metadata} />
      )}
    </>
  )
}
