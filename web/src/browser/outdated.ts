import { at } from '../format/base.js'

/** Returns true if the service has another build by now: the files of this page's build are gone for good then. */
export const isOutdated = async (): Promise<boolean> => {
  const own = document.querySelector<HTMLScriptElement>('script[type="module"][src]')
  const name = own?.src.split('/').at(-1)
  if (name === undefined) return false
  const answer = await fetch(at('/'), {
    cache: 'no-store',
    // Others than browsers get a text.
    headers: { accept: 'text/html' },
  }).catch(() => undefined)
  const page = answer?.ok === true ? await answer.text() : ''
  // The page of a proxy is no build.
  return page.includes('type="module"') && !page.includes(name)
}
