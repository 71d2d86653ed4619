import { currentProject } from '../data/current-project.js'
import { send } from '../data/send.js'
import { at } from '../format/base.js'

export interface Download {
  /** The name of the list in the API. */
  list: string
  format: 'csv' | 'jsonl' | 'parquet'
  /** Conditions as text. */
  query: string | undefined
  filters: readonly object[]
  orderBy?: { column: string; direction: string } | undefined
  bom?: boolean
}

/** Servers limit the length of an address. */
const MAX_ADDRESS = 8000

/**
 * Downloads a list as filtered. A first request for one row finds mistakes, which a browser would show as a failed
 * download without a reason. The browser writes the rest to the disk as it comes.
 */
export const download = async ({ list, format, ...rest }: Download): Promise<void> => {
  const path = `/api/export/${list}.${format}`
  await (await send(path, { ...rest, limit: 1 })).text()
  const parameters = new URLSearchParams(
    Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, name === 'query' ? String(value) : JSON.stringify(value)]),
  )
  const project = currentProject()
  if (project !== undefined) parameters.set('project', project)
  const address = at(`${path}?${parameters}`)
  // Only in secure contexts do browsers say that a link was followed on a page of the service itself.
  if (window.isSecureContext && address.length <= MAX_ADDRESS) return save(address, '')
  const answer = await send(path, rest)
  const [, name = `${list}.${format}`] =
    /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '') ?? []
  const content = URL.createObjectURL(await answer.blob())
  save(content, name)
  // The browser takes the content over a moment later.
  setTimeout(() => URL.revokeObjectURL(content), 60_000)
}

const save = (href: string, name: string): void => {
  const link = document.createElement('a')
  link.href = href
  link.download = name
  link.click()
}
