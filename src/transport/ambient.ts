/** The context of a call, as far as operations of the API use it. */
export interface Ambient {
  /** The step that is being recorded. Attachments may be added to it. */
  step: { readonly id: string; attach(attachment: unknown): void } | undefined
  threadId: string | undefined
  experimentItemRunId: string | undefined
  environment: string | undefined
}
