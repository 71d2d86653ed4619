import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress, gzip } from 'node:zlib'
import { builtPath } from '../kernel/package-folder.js'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/**
 * Policy of a script that runs as a worker: it may start the engine that draws PDFs, and reach nothing. Pages have
 * their own policy.
 */
const WORKER_POLICY = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'`

/** Returns the policy of pages: they run only what the service itself serves, and nothing that was recorded. */
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

const PAGE = '/index.html'
type Encoding = 'br' | 'gzip' | 'identity'
type Content = Uint8Array<ArrayBuffer>

const THEMES = ['light', 'dark']

/** Serves the web UI: the built files, and its one page for every path that a page of it has. */
export class Ui {
  readonly #folder: string
  readonly #policy: string
  readonly #base: string
  readonly #held = new Map<string, Promise<Content | undefined>>()
  #names: Promise<ReadonlySet<string>> | undefined

  /** @param base - The path that the addresses of the page begin with; empty, or such as `/stepwell`. */
  constructor(folder: string, fileOrigin: string | undefined, base = '') {
    this.#folder = folder
    this.#policy = pagePolicy(fileOrigin)
    this.#base = base
  }

  /** Returns undefined when there is no such file. */
  async asset(path: string, headers: Headers): Promise<Response | undefined> {
    // The build makes such names only; anything else leads nowhere.
    if (!/^\/assets\/[\w.-]+$/.test(path)) return undefined
    const type = TYPES[extname(path)]
    if (type === undefined) return undefined
    const encoding = encodingFor(headers)
    const content = await this.#read(path, encoding)
    return (
      content &&
      new Response(content, {
        headers: {
          'content-type': type,
          // The name changes with the content.
          'cache-control': 'public, max-age=31536000, immutable',
          vary: 'accept-encoding',
          ...(type === TYPES['.js'] ? { 'content-security-policy': WORKER_POLICY } : {}),
          ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
        },
      })
    )
  }

  async page(headers: Headers): Promise<Response | undefined> {
    const content = await this.#read(PAGE, 'identity')
    if (content === undefined) return undefined
    // Set by the server, so that the page is not painted in the other theme first.
    const theme = /(?:^|;\s*)theme=(\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? ''
    // No element says it to the browser: the policy allows none, as one could send requests elsewhere.
    const page = new TextDecoder()
      .decode(content)
      .replaceAll('"./assets/', `"${this.#base}/assets/`)
      .replace('<html', this.#base === '' ? '<html' : `<html data-base="${this.#base}"`)
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

  /** Returns the names of built files. Names that strangers make up are not cached. */
  #built(): Promise<ReadonlySet<string>> {
    this.#names ??= readdir(join(this.#folder, 'assets')).then(
      (names) => new Set([...names.map((name) => `/assets/${name.replace(/\.br$/, '')}`), PAGE]),
      () => new Set([PAGE]),
    )
    return this.#names
  }

  async #read(path: string, encoding: Encoding): Promise<Content | undefined> {
    if (!(await this.#built()).has(path)) return undefined
    const name = `${path} ${encoding}`
    const held = this.#held.get(name)
    if (held !== undefined) return held
    const read = this.#encoded(path, encoding).catch(() => {
      this.#held.delete(name)
      return undefined
    })
    this.#held.set(name, read)
    return read
  }

  /**
   * Assets are stored only in their smallest encoding; the others are derived from it when they are first requested.
   */
  async #encoded(path: string, encoding: Encoding): Promise<Content> {
    if (path === PAGE) return new Uint8Array(await readFile(join(this.#folder, path)))
    if (encoding === 'br') return new Uint8Array(await readFile(join(this.#folder, `${path}.br`)))
    if (encoding === 'identity')
      return new Uint8Array(await unpack(await this.#encoded(path, 'br')))
    return new Uint8Array(await pack(await this.#encoded(path, 'identity')))
  }
}

const pack = promisify(gzip)
const unpack = promisify(brotliDecompress)

/** Returns the smallest encoding that a client accepts. */
const encodingFor = (headers: Headers): Encoding => {
  const accepted = headers.get('accept-encoding') ?? ''
  if (/\bbr\b/.test(accepted)) return 'br'
  return /\bgzip\b/.test(accepted) ? 'gzip' : 'identity'
}

/** Returns the folder of the built UI, which is part of this package; undefined if it was not built. */
export const findUi = (): string | undefined => {
  const page = builtPath('ui', PAGE)
  return page === undefined ? undefined : dirname(page)
}
