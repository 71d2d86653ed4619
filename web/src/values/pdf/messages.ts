/** What the page asks of the engine. */
export type ToEngine =
  | { ask: 'open'; engine: ArrayBuffer; content: ArrayBuffer }
  | { ask: 'draw'; place: number; width: number }

/** What the engine answers. */
export type FromEngine =
  | { tells: 'opened'; pages: number }
  | { tells: 'drawn'; place: number; width: number; height: number; pixels: ArrayBuffer }
  | { tells: 'failed'; message: string }
