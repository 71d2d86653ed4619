/** The place in a record up to which it answers, for an application that goes on by itself from there. */
export interface Fork {
  /** Returns true for a recorded step that lies before it, by its id. */
  isBefore(id: string): boolean
  /** Sends a request that lies behind it. */
  send(input: unknown, init: RequestInit | undefined): Promise<Response>
  /** Is told of each recorded step that answered. */
  onAnswer(id: string): void
  /** True when the application has another version of a prompt: before the fork, instructions, tools and settings may differ. */
  readonly hasOtherPrompt: boolean
}
