import { visible } from '../../format/text.js'
import { Messages } from '../../values/messages.js'
import { ValueView } from '../../values/value-view.js'
import type { WholeStep } from './use-whole-step.js'

/** The contents of a step that a reviewer judges. */
export const StepContents = ({ step }: { step: WholeStep }) => (
  <>
    {step.error !== null && (
      <div className="problem">
        <pre>{visible(step.error)}</pre>
      </div>
    )}
    {step.generation?.messages != null && (
      <section aria-label="Messages">
        <Messages messages={step.generation.messages} />
      </section>
    )}
    {step.input != null && step.generation?.messages == null && (
      <ValueView title="Input" value={step.input} />
    )}
    {step.output != null && <ValueView title="Output" value={step.output} />}
    {step.output == null && step.generation?.messageCompletion != null && (
      <ValueView title="Output" value={step.generation.messageCompletion} />
    )}
    {step.output == null && step.generation?.completion != null && (
      <ValueView title="Output" value={step.generation.completion} />
    )}
  </>
)
