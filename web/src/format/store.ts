/**
 * Keeps texts by their names. A text that a browser does not take, as its store is full or shut, is kept by the page as long as
 * that lives: a button does what it says nevertheless.
 */
const storeOf = (open: () => Storage) => {
  const own = new Map<string, string>()
  const attempt = <Result>(work: (storage: Storage) => Result): Result | undefined => {
    try {
      return work(open())
    } catch {
      return undefined
    }
  }
  return {
    get: (name: string): string | null =>
      own.get(name) ?? attempt((storage) => storage.getItem(name)) ?? null,
    set: (name: string, text: string): void => {
      const isKept = attempt((storage) => {
        storage.setItem(name, text)
        return true
      })
      if (isKept) own.delete(name)
      else own.set(name, text)
    },
    remove: (name: string): void => {
      own.delete(name)
      attempt((storage) => storage.removeItem(name))
    },
    names: (): readonly string[] => [
      ...new Set([...own.keys(), ...(attempt((storage) => Object.keys(storage)) ?? [])]),
    ],
  }
}

/** Texts of which all tabs of this browser know, until they are removed. */
export const browserStore = storeOf(() => localStorage)

/** Texts of this tab, which live as long as it does. */
export const tabStore = storeOf(() => sessionStorage)
