/** The type of a class of the platform: that of the DOM or of Node if one is loaded, else `Fallback`. */
type OfPlatform<Name extends string, Fallback> = typeof globalThis extends {
  [Key in Name]: { prototype: infer Instance }
}
  ? Instance
  : Fallback

/** Content of a known length: the platform's `Blob`. */
export type PlatformBlob = OfPlatform<
  'Blob',
  { readonly size: number; readonly type: string; arrayBuffer(): Promise<ArrayBuffer> }
>

/** The platform's `ReadableStream`. */
export type PlatformStream = OfPlatform<
  'ReadableStream',
  { readonly locked: boolean; cancel(reason?: unknown): Promise<void> }
>

/** The platform's `Response`. */
export type PlatformResponse = OfPlatform<
  'Response',
  {
    readonly status: number
    readonly headers: Iterable<[string, string]>
    arrayBuffer(): Promise<ArrayBuffer>
  }
>

/** The second parameter of the platform's `fetch`. */
export type PlatformRequestInit = typeof globalThis extends {
  // biome-ignore lint/suspicious/noExplicitAny: infers the parameter, whatever the others are
  fetch: (input: any, init?: infer Init) => any
}
  ? NonNullable<Init>
  : { method?: string; headers?: Record<string, string>; body?: unknown; signal?: unknown }

/** The platform's `fetch`. */
export type PlatformFetch = typeof globalThis extends { fetch: infer Function }
  ? Function
  : // biome-ignore lint/suspicious/noExplicitAny: whatever the platform has
    (input: any, init?: any) => Promise<any>
