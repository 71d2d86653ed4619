import { autocompletion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import type { Extension } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'

/** A tag of Mustache: `{{name}}`, `{{{name}}}`, or one that begins or ends a section. */
const TAG = /\{\{\{[^{}]*\}\}\}|\{\{[#^/&!>]?[^{}]*\}\}/g

const matcher = new MatchDecorator({
  regexp: TAG,
  decoration: ([tag]) =>
    Decoration.mark({ class: /^\{\{[#^/]/.test(tag) ? 'cm-section' : 'cm-variable' }),
})

const tags = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = matcher.createDeco(view)
    }
    update(update: ViewUpdate) {
      this.decorations = matcher.updateDeco(update, this.decorations)
    }
  },
  { decorations: ({ decorations }) => decorations },
)

const look = EditorView.theme({
  '.cm-variable': {
    background: 'var(--selected)',
    borderRadius: '3px',
    color: 'light-dark(#7a41c9, #d0aafc)',
  },
  '.cm-section': { color: 'light-dark(#7a41c9, #d0aafc)', fontWeight: '600' },
  '.cm-tooltip': {
    background: 'var(--raised)',
    color: 'var(--fg)',
    border: '1px solid var(--line)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--selected)',
    color: 'var(--fg)',
  },
})

/** Text with tags of Mustache in colour. After `{{`, the names of variables are offered. */
export const mustacheEditing = (names: () => readonly string[]): Extension[] => {
  const source = (context: CompletionContext) => {
    const typed = context.matchBefore(/\{\{[{#^/&]?\s*[\w.]*$/)
    if (typed === null) return null
    const word = /[\w.]*$/.exec(typed.text)?.[0] ?? ''
    const isClosed = context.state.sliceDoc(context.pos, context.pos + 2) === '}}'
    return {
      from: context.pos - word.length,
      options: names()
        .filter((name) => name !== word)
        .map((label) => ({ label, apply: isClosed ? label : `${label}}}` })),
      validFor: /^[\w.]*$/,
    }
  }
  return [
    history(),
    tags,
    look,
    autocompletion({ override: [source], icons: false }),
    keymap.of([
      ...completionKeymap,
      // The page has this one.
      ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
      ...historyKeymap,
    ]),
  ]
}
