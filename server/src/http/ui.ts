import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** What a script may do that runs as a worker: start the engine that draws PDFs, and reach nothing. Pages have their own. */
const WORKER_POLICY = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'`

/** Nothing but what the service itself serves may run, and nothing at all that was recorded. */
const pagePolicy = (fileOrigin: string | undefined): string => {
  const files = fileOrigin === undefined ? '' : ` ${fileOrigin}`
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self' blob: data:${files}`,
    `media-src 'self' blob:${files}`,
    `connect-src 'self'${files}`,
    `worker-src 'self'`,
    `frame-src 'self'${files}`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
  ].join('; ')
}

const THEMES = ['light', 'dark']

/** Serves the web UI: the files that were built, and its one page for every path that a page of it has. */
export class Ui {
  readonly #folder: string
  readonly #policy: string
  readonly #held = new Map<string, Promise<Uint8Array<ArrayBuffer> | undefined>>()
  #names: Promise<ReadonlySet<string>> | undefined

  constructor(folder: string, fileOrigin: string | undefined) {
    this.#folder = folder
    this.#policy = pagePolicy(fileOrigin)
  }

  /** Undefined where there is no such file. */
  async asset(path: string, headers: Headers): Promise<Response | undefined> {
    // Names are what the build made of them; anything else leads nowhere.
    if (!/^\/assets\/[\w.-]+$/.test(path)) return undefined
    const type = TYPES[extname(path)]
    if (type === undefined) return undefined
    for (const { encoding, ending } of packed(headers)) {
      const content = await this.#read(`${path}${ending}`)
      if (content === undefined) continue
      return new Response(content, {
        headers: {
          'content-type': type,
          // The name changes with the content.
          'cache-control': 'public, max-age=31536000, immutable',
          vary: 'accept-encoding',
          ...(type === TYPES['.js'] ? { 'content-security-policy': WORKER_POLICY } : {}),
          ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
        },
      })
    }
    return undefined
  }

  async page(headers: Headers): Promise<Response | undefined> {
    const content = await this.#read('/index.html')
    if (content === undefined) return undefined
    // Said by the server, so that the page is not painted in the other theme first.
    const theme = /(?:^|;\s*)theme=(\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? ''
    const page = new TextDecoder().decode(content)
    return new Response(
      THEMES.includes(theme) ? page.replace('<html', `<html data-theme="${theme}"`) : page,
      {
        headers: {
          'content-type': TYPES['.html'] ?? '',
          'cache-control': 'no-cache',
          'content-security-policy': this.#policy,
          'cross-origin-opener-policy': 'same-origin',
        },
      },
    )
  }

  /** What the build made. Nothing is remembered of names that strangers make up. */
  #built(): Promise<ReadonlySet<string>> {
    this.#names ??= readdir(join(this.#folder, 'assets')).then(
      (names) => new Set([...names.map((name) => `/assets/${name}`), '/index.html']),
      () => new Set(['/index.html']),
    )
    return this.#names
  }

  async #read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (!(await this.#built()).has(path)) return undefined
    const held = this.#held.get(path)
    if (held !== undefined) return held
    const read = readFile(join(this.#folder, path)).then(
      (content) => new Uint8Array(content),
      () => undefined,
    )
    this.#held.set(path, read)
    return read
  }
}

/** The forms in which a client takes a file, the smallest first. */
const packed = (headers: Headers): { encoding?: string; ending: string }[] => {
  const accepted = headers.get('accept-encoding') ?? ''
  return [
    ...(/\bbr\b/.test(accepted) ? [{ encoding: 'br', ending: '.br' }] : []),
    ...(/\bgzip\b/.test(accepted) ? [{ encoding: 'gzip', ending: '.gz' }] : []),
    { ending: '' },
  ]
}

/** Where the built UI is; undefined where it is not installed. */
export const findUi = (): string | undefined => {
  try {
    return join(
      dirname(createRequire(import.meta.url).resolve('@stepwell/web/package.json')),
      'dist',
    )
  } catch {
    return undefined
  }
}
