/**
 * Options of Node for processes that open the embedded database and end soon. Its program is compiled again, with
 * optimizations, where it is used much: in tests that would take a third of the processor time of a start, and pay in none.
 */
export const SHORT_LIVED: string[] = ['--wasm-tiering-budget=100000000']

/** For processes that answer requests by the hundred: there, what is used most pays for its compilation. */
export const BUSY: string[] = ['--wasm-tiering-budget=20000000']
