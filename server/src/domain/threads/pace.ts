/** Steps of a thread that are changed or deleted at once. Those of a larger one are, in portions, before the thread. */
export const AT_ONCE = 500

/** The time of such a portion. Requests wait for it, on the embedded engine all of them. */
export const PACE = { most: 200, shortMs: 15, longMs: 40 }
