/**
 * What records say of others: the sessions of traces, versions of prompts, values of categories, and results of runs. It is
 * all of a source that is in memory at once; of traces only those with a session.
 */
export class Links {
  readonly #sessions = new Map<string, string>()
  readonly #users = new Map<string, string>()
  readonly #prompts = new Map<string, string>()
  readonly #values = new Map<string, number>()
  readonly #results = new Map<string, string>()

  noteSession(traceId: string, sessionId: string | undefined): void {
    if (sessionId !== undefined) this.#sessions.set(traceId, sessionId)
  }

  sessionOf(traceId: string | undefined): string | undefined {
    return traceId === undefined ? undefined : this.#sessions.get(traceId)
  }

  /** Notes the user of a session. Returns true when it has had another one. */
  hasOtherUser(sessionId: string, userId: string): boolean {
    const known = this.#users.get(sessionId)
    this.#users.set(sessionId, userId)
    return known !== undefined && known !== userId
  }

  notePrompt(name: string, version: number, id: string): void {
    this.#prompts.set(JSON.stringify([name, version]), id)
  }

  promptOf(name: string, version: number): string | undefined {
    return this.#prompts.get(JSON.stringify([name, version]))
  }

  noteValue(score: string, label: string, value: number): void {
    this.#values.set(JSON.stringify([score, label]), value)
  }

  valueOf(score: string, label: string | undefined): number | undefined {
    return label === undefined ? undefined : this.#values.get(JSON.stringify([score, label]))
  }

  noteResult(stepId: string, resultId: string): void {
    this.#results.set(stepId, resultId)
  }

  resultOf(stepId: string): string | undefined {
    return this.#results.get(stepId)
  }
}
