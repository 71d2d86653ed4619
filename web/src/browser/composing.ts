/** The code of a key that an input method takes: Safari ends a composition before the Enter that ends it is told. */
const TAKEN = 229

/**
 * Keeps keys with which words of Chinese or Japanese are composed from all that listens to keys: the Enter that takes a
 * candidate would apply half a filter, or open what was found for half a word. Editors are told, as they compose themselves.
 */
export const keepComposing = (): void =>
  window.addEventListener(
    'keydown',
    (event) => {
      const [field] = event.composedPath()
      const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
      if (isField && (event.isComposing || event.keyCode === TAKEN)) event.stopPropagation()
    },
    { capture: true },
  )
