import { visible } from '../format/text.js'

/** What went wrong, as it was recorded. */
export const ErrorText = ({ text }: { text: string }) => (
  <section className="problem" aria-label="Error">
    <pre dir="auto">{visible(text)}</pre>
  </section>
)
