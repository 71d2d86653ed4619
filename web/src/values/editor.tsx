import { json } from '@codemirror/lang-json'
import { foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Annotation, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { STRAY_JOINER } from '../format/text.js'
import { useIsSending } from '../ui/forms/form.js'

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--type-message)' },
  { tag: tags.string, color: 'var(--fg)' },
  // Darker than the token of that hue, which is for icons and bars: text needs more contrast.
  {
    tag: [tags.number, tags.bool, tags.null, tags.variableName],
    color: 'light-dark(#7a41c9, #d0aafc)',
  },
  { tag: tags.keyword, fontWeight: '600' },
  { tag: tags.comment, color: 'var(--fg-3)' },
])

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', color: 'var(--fg)', background: 'var(--bg)' },
  '.cm-scroller': { fontFamily: 'var(--mono)' },
  '.cm-gutters': { background: 'var(--raised)', color: 'var(--fg-3)', border: '0' },
  '.cm-cursor': { borderLeftColor: 'var(--fg)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--selected) !important',
  },
  '.cm-panels': { background: 'var(--raised)', color: 'var(--fg)' },
  '.cm-searchMatch': { background: 'light-dark(#fff3bf, #574500)' },
  '.cm-specialChar': { color: 'var(--bad)' },
})

/** Marks changes that were not typed. */
const given = Annotation.define<boolean>()

/** Characters that hide or reverse text, in addition to the editor's own list. */
const HIDDEN = new RegExp(
  `${/[\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFFF9-\uFFFB]/u.source}|${STRAY_JOINER.source}`,
  'gu',
)

const NONE: readonly Extension[] = []

/**
 * Shows text of any size: only visible lines are in the page. It lives in a shadow root, where its style sheet is made
 * by code, as the policy of the page allows no inline ones.
 */
export const Editor = ({
  text,
  isJson = true,
  onChange,
  label,
  className = 'editor',
  extensions: own = NONE,
}: {
  text: string
  isJson?: boolean
  onChange?: ((text: string) => void) | undefined
  label: string
  className?: string
  /** Further abilities of this editor; another list makes the editor anew. */
  extensions?: readonly Extension[]
}) => {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const change = useRef(onChange)
  change.current = onChange
  /** True while the form around it is sent. */
  const isLocked = useRef(false)
  isLocked.current = useIsSending()
  /** Typed texts that have not come back as `text` yet. It may come late, when more was typed. */
  const typed = useRef<string[]>([])
  const isEditable = onChange !== undefined
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const extensions: Extension[] = [
      lineNumbers(),
      foldGutter(),
      drawSelection(),
      highlightSpecialChars({ addSpecialChars: HIDDEN }),
      highlightSelectionMatches(),
      search({ top: true }),
      keymap.of([...searchKeymap, ...foldKeymap]),
      EditorView.lineWrapping,
      // Its index tells assistive technology that the text behind the scrollbar can be reached.
      EditorView.contentAttributes.of({ 'aria-label': label, dir: 'auto', tabindex: '0' }),
      look,
      syntaxHighlighting(colours),
      ...(isJson ? [json()] : []),
      ...own,
      EditorState.readOnly.of(!isEditable),
      EditorState.changeFilter.of(
        (transaction) => !isLocked.current || transaction.annotation(given) === true,
      ),
      EditorView.editable.of(true),
      EditorView.updateListener.of((update) => {
        const isGiven = update.transactions.some((one) => one.annotation(given))
        const tell = change.current
        if (!update.docChanged || isGiven || tell === undefined) return
        const now = update.state.doc.toString()
        typed.current.push(now)
        // A key that is pressed next acts on this text.
        flushSync(() => tell(now))
      }),
    ]
    const made = new EditorView({
      state: EditorState.create({ doc: text, extensions }),
      parent: root,
      root,
    })
    view.current = made
    typed.current = []
    return () => made.destroy()
  }, [isJson, isEditable, own])
  useEffect(() => {
    const index = typed.current.lastIndexOf(text)
    if (index >= 0) {
      typed.current.splice(0, index + 1)
      return
    }
    typed.current = []
    const current = view.current
    if (current !== undefined && current.state.doc.toString() !== text)
      current.dispatch({
        changes: { from: 0, to: current.state.doc.length, insert: text },
        annotations: given.of(true),
      })
  }, [text])
  return <div ref={host} className={className} />
}
