const ERROR = /^\[object (Error|DOMException)\]$/

/** Returns true for an error, also for one of another realm: where Jest runs code, each error of Node is of another. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || ERROR.test(Object.prototype.toString.call(value))
