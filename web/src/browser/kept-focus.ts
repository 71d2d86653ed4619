import { type RefObject, useLayoutEffect, useRef } from 'react'

const FOCUSABLE =
  'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, [tabindex="0"]'

/** Focuses the first element inside that can be; the style sheet hides some. */
const focusIn = (box: Element): boolean =>
  [...box.querySelectorAll<HTMLElement>(FOCUSABLE)].some((element) => {
    element.focus()
    return document.activeElement === element
  })

/** Returns the rows beside one, and then what is around it, up to the page. */
const surroundings = (row: Element): readonly Element[] => {
  const found = [row.nextElementSibling, row.previousElementSibling]
  for (let box = row.parentElement; box !== null; box = box.parentElement) {
    if (box.matches('main, body')) break
    found.push(box)
  }
  return found.filter((box) => box !== null)
}

/**
 * Moves the focus to the row beside, when an element goes that has it, together with its row; to the content of the page,
 * when all rows are gone. Browsers leave it to the page, where a screen reader begins anew at the top.
 */
export const useFocusBesideRow = (element: RefObject<HTMLElement | null>): void =>
  useLayoutEffect(() => {
    const own = element.current
    const { pathname } = window.location
    return () => {
      const row = own?.closest('tr, li') ?? null
      if (row === null || !own?.contains(document.activeElement)) return
      const boxes = surroundings(row)
      const main = row.closest<HTMLElement>('main')
      // The row is still there, and goes in a moment. On the way to another page, the focus is no matter of this one.
      queueMicrotask(() => {
        if (document.activeElement !== document.body || window.location.pathname !== pathname)
          return
        if (!boxes.some((box) => box.isConnected && focusIn(box))) main?.focus()
      })
    }
  }, [element])

/** Moves the focus on inside of a box, when the button that has it is disabled. */
export const useFocusOfEnabled = (box: RefObject<HTMLElement | null>): void =>
  useLayoutEffect(() => {
    const focused = document.activeElement
    if (focused?.matches(':disabled') && box.current?.contains(focused)) focusIn(box.current)
  })

/** The same with what is disabled, as that may change. */
const CONTROLS = FOCUSABLE.replaceAll(':enabled', '')

/** Returns what has the focus inside of a box, then what follows it there, and then what precedes it. */
const focusedIn = (box: Element | null): readonly HTMLElement[] => {
  const all = [...(box?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])]
  const place = all.indexOf(document.activeElement as HTMLElement)
  return place < 0 ? [] : [...all.slice(place), ...all.slice(0, place).reverse()]
}

const isUsable = (element: HTMLElement): boolean =>
  element.isConnected && !element.matches(':disabled')

/**
 * Keeps the focus inside of a box when the component draws it anew, and removes, moves or disables the element that has
 * it: that gets it back, or the nearest that is left.
 */
export const useFocusInside = (box: RefObject<HTMLElement | null>): void => {
  const before = focusedIn(box.current)
  useLayoutEffect(() => {
    const now = document.activeElement
    const [focused] = before
    if (focused === undefined || (now === focused ? isUsable(focused) : now !== document.body))
      return
    before.find(isUsable)?.focus()
  })
}

/** Returns the focus to a button when the box goes that it opened, with the focus in it. */
export const useFocusOfOpener = (
  box: RefObject<HTMLElement | null>,
  opener: RefObject<HTMLElement | null>,
): void =>
  useLayoutEffect(() => {
    const own = box.current
    return () => {
      if (own?.contains(document.activeElement)) opener.current?.focus()
    }
  }, [box, opener])

/** Moves the focus to the content of the page when another `place` removes the element that has it. */
export const useFocusOfContent = (place: unknown): void => {
  const before = document.activeElement
  // A form that is sent from a dialog has lost it before.
  const wasInDialog = before === document.body && document.querySelector('dialog:modal') !== null
  const shown = useRef(place)
  useLayoutEffect(() => {
    if (shown.current === place) return
    shown.current = place
    const isGone = wasInDialog || before?.isConnected === false
    if (isGone && document.activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true })
  })
}
