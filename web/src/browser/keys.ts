import { useEffect, useRef } from 'react'
import { preference } from './preferences.js'

/** An action that returns false leaves the key to the browser. */
export type KeyMap = Record<string, (event: KeyboardEvent) => unknown>

/** Kinds of inputs that take no text; their keys are few. */
const WORDLESS = /^(checkbox|radio|range|color|file|image|button|submit|reset)$/

const isTyping = (target: EventTarget | null): boolean => {
  if (target instanceof HTMLInputElement) return !WORDLESS.test(target.type)
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

/** Returns the element in which a key was pressed, also inside of an editor, which has a tree of its own. */
const targetOf = (event: KeyboardEvent): EventTarget | null =>
  event.composedPath()[0] ?? event.target

const SCROLLS = /^(Arrow|Page|Home$|End$)/

/** Inputs that Enter presses, and those that arrows change. */
const PRESSED = /^(color|file|image|button|submit|reset)$/
const MOVED = /^(radio|range)$/

/** Returns true if the focused element uses the key itself: Enter presses buttons, arrows scroll. */
const isOwn = (target: EventTarget | null, key: string): boolean => {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) {
    if (key === ' ') return true
    return key === 'Enter'
      ? PRESSED.test(target.type)
      : SCROLLS.test(key) && MOVED.test(target.type)
  }
  if (key === 'Enter' || key === ' ') return target.closest('button, a, summary') !== null
  return SCROLLS.test(key) && target.closest('.inspector, .value, .snippet, figure') !== null
}

/**
 * Returns the name of a key in a map: `j`, `Shift+ArrowRight`, `E` (with its shift), `Ctrl+k` (or the Mac's command
 * key).
 */
const nameOf = (event: KeyboardEvent): string => {
  const { key } = event
  const parts = [
    ...(event.ctrlKey || event.metaKey ? ['Ctrl'] : []),
    ...(event.altKey ? ['Alt'] : []),
    ...(event.shiftKey && key.length > 1 ? ['Shift'] : []),
  ]
  return [...parts, key].join('+')
}

/** Dialogs, and fields that are being sent: those have lost the focus to the page, but the typing may go on. */
const TAKES_KEYS = 'dialog[open], [aria-busy="true"] > .fields'

let prefix: { key: string; at: number } | undefined
const PREFIX_MS = 1500

/**
 * Binds the keys of a page. `g t` is two keys, one after the other. Single keys do nothing in text fields, while a
 * dialog is open or a form is being sent, or when they were switched off.
 */
export const useKeys = (map: KeyMap, isActive = true): void => {
  const latest = useRef(map)
  latest.current = map
  useEffect(() => {
    if (!isActive) return
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return
      const name = nameOf(event)
      const isSingle = !name.startsWith('Ctrl+')
      const target = targetOf(event)
      if (
        isSingle &&
        (isTyping(target) || isOwn(target, event.key) || preference('keys') === 'off')
      )
        return
      if (isSingle && document.querySelector(TAKES_KEYS) !== null) return
      const now = Date.now()
      const pair =
        prefix !== undefined && now - prefix.at < PREFIX_MS ? `${prefix.key} ${name}` : undefined
      const action = (pair === undefined ? undefined : latest.current[pair]) ?? latest.current[name]
      if (action === undefined) {
        if (Object.keys(latest.current).some((key) => key.startsWith(`${name} `)))
          prefix = { key: name, at: now }
        return
      }
      if (pair !== undefined && latest.current[pair] === undefined && prefix !== undefined) {
        // The second key of a pair of another part of the page.
        return
      }
      prefix = undefined
      if (action(event) !== false) event.preventDefault()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isActive])
}
