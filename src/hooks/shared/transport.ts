type Handle = (...values: never[]) => unknown

/** The part of a transport of MCP that messages pass through. */
export interface Transport {
  onmessage?: Handle | undefined
  onclose?: Handle | undefined
  send: Handle
}

/**
 * Puts a function between a handler, whenever it is set, and those who call it. A transport that passes its handlers on to
 * another one gets the function in the place of the handler.
 */
export const between = (
  transport: Transport,
  name: 'onmessage' | 'onclose',
  call: (handle: Handle, values: unknown[]) => void,
): void => {
  const inherited = descriptorOf(transport, name)
  let wrapped: Handle | undefined
  const set = (given: Handle | undefined): void => {
    wrapped = given && ((...values: unknown[]) => call(given, values))
    inherited?.set?.call(transport, wrapped)
  }
  set(transport[name])
  Object.defineProperty(transport, name, {
    configurable: true,
    enumerable: true,
    get: () => wrapped,
    set,
  })
}

const descriptorOf = (value: object, name: string): PropertyDescriptor | undefined => {
  for (let at: object | null = value; at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name)
    if (found !== undefined) return found
  }
  return undefined
}
