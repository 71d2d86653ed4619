/** What a worker is told to send, and where it leaves what came of it. */
export interface Parcel {
  url: string
  headers: Record<string, string>
  bodies: Uint8Array[]
  deadlineMs: number
  /** 0: how many bodies are through. Then one number for each body: 0 while it is not answered, else the status. */
  states: SharedArrayBuffer
  /** The answers, each at its place: four bytes of length, then as much of the text as fits. */
  answers: SharedArrayBuffer
  answerBytes: number
}
