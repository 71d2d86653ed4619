import type { Service } from '../../src/index.js'

/** A browser as far as cookies and redirects go. Requests to the service's origin reach the service; others the network. */
export class Browser {
  readonly jar = new Map<string, string>()
  readonly #origin: string
  service: Service

  constructor(service: Service, origin: string) {
    this.service = service
    this.#origin = origin
  }

  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Visits a page, as by a link. Returns the answer, which may lead elsewhere. */
  async visit(address: string): Promise<Response> {
    const url = new URL(address, this.#origin)
    if (url.origin !== this.#origin) return fetch(url, { redirect: 'manual' })
    return this.#kept(
      await this.service.fetch(url, { headers: { accept: 'text/html', cookie: this.cookie } }),
    )
  }

  /** Visits a page and follows to where it leads. Returns the addresses, the last one being of a page of the service. */
  async follow(address: string): Promise<string[]> {
    const visited = [address]
    for (let count = 0; count < 10; count++) {
      const response = await this.visit(visited.at(-1) as string)
      await response.text()
      const location = response.headers.get('location')
      if (location === null) throw new Error(`${visited.at(-1)} answered ${response.status}`)
      visited.push(location)
      // A page of the web UI, which the service answers without asking who it is for.
      if (location.startsWith('/') && !location.startsWith('/api/')) return visited
    }
    throw new Error(`it leads on and on: ${visited.join(' ')}`)
  }

  async send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.#kept(
      await this.service.fetch(`${this.#origin}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          origin: new URL(this.#origin).origin,
          cookie: this.cookie,
          ...headers,
        },
        body: JSON.stringify(body),
      }),
    )
  }

  #kept(response: Response): Response {
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      if (/Max-Age=0/.test(header)) this.jar.delete(name)
      else this.jar.set(name, value)
    }
    return response
  }
}
