import { visible } from '../format/text.js'

/** The recorded error. */
export const ErrorText = ({ text }: { text: string }) => (
  <section className="problem" aria-label="Error">
    <pre dir="auto">{visible(text)}</pre>
  </section>
)
