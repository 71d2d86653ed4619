/** What operations of the API take from the context that they are called in. */
export interface Ambient {
  /** The step that is being recorded. Attachments may be handed to it. */
  step: { readonly id: string; attach(attachment: unknown): void } | undefined
  threadId: string | undefined
  experimentItemRunId: string | undefined
  environment: string | undefined
}
