/** Messages from the page to the engine. */
export type ToEngine =
  | { ask: 'open'; engine: ArrayBuffer; content: ArrayBuffer }
  | { ask: 'draw'; place: number; width: number }

/** Messages from the engine to the page. */
export type FromEngine =
  | { tells: 'opened'; pages: number }
  | { tells: 'drawn'; place: number; width: number; height: number; pixels: ArrayBuffer }
  | { tells: 'failed'; message: string }
