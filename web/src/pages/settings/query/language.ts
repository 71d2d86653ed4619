import {
  autocompletion,
  type Completion,
  type CompletionContext,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, StreamLanguage } from '@codemirror/language'
import { type Extension, Prec } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { complete, type Suggestion } from './complete.js'
import { loadSchema } from './schema.js'

/** The tokens of GraphQL, for their colours. */
const graphql = StreamLanguage.define<{ isInBlock: boolean }>({
  startState: () => ({ isInBlock: false }),
  token: (stream, state) => {
    if (state.isInBlock || stream.match('"""')) {
      state.isInBlock = !stream.match(/.*?"""/)
      if (state.isInBlock) stream.skipToEnd()
      return 'string'
    }
    if (stream.eatSpace()) return null
    if (stream.match(/#.*/)) return 'comment'
    if (stream.match(/"(?:[^"\\]|\\.)*"?/)) return 'string'
    if (stream.match(/\$\w+/)) return 'variableName'
    if (stream.match(/-?\d[\w.+-]*/)) return 'number'
    if (stream.match(/(?:query|mutation|fragment|on)\b/)) return 'keyword'
    if (stream.match(/(?:true|false|null)\b/)) return 'bool'
    if (stream.match(/\w+/)) return 'propertyName'
    stream.next()
    return null
  },
})

const completionOf = ({ label, insert, detail, info, isDeprecated }: Suggestion): Completion => ({
  label,
  ...(insert === undefined ? {} : { apply: insert }),
  ...(detail === undefined || detail === '' ? {} : { detail }),
  ...(info === undefined ? {} : { info }),
  ...(isDeprecated ? { boost: -50 } : {}),
})

const source = async (context: CompletionContext) => {
  const isAsked = context.explicit || context.matchBefore(/[\w@$:({]$/) !== null
  if (!isAsked) return null
  const schema = await loadSchema()
  const found = complete(schema, context.state.doc.toString(), context.pos)
  return found && { from: found.from, options: found.options.map(completionOf), validFor: /^\w*$/ }
}

const look = EditorView.theme({
  '.cm-tooltip': {
    background: 'var(--raised)',
    color: 'var(--fg)',
    border: '1px solid var(--line)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--selected)',
    color: 'var(--fg)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxWidth: '80vw' },
  '.cm-completionDetail': { color: 'var(--fg-3)', fontStyle: 'normal' },
  '.cm-completionInfo': { maxWidth: '320px' },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--selected)' },
})

/** Edits any text here, with undo; `run` is called for Ctrl+Enter. Tab stays with the page, so that the keyboard can leave. */
export const editing = (run: () => void): Extension[] => [
  history(),
  bracketMatching(),
  closeBrackets(),
  Prec.highest(
    keymap.of([
      {
        key: 'Mod-Enter',
        run: () => {
          run()
          return true
        },
      },
    ]),
  ),
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
  look,
]

/** GraphQL with its colours, completed from the schema of the service. */
export const graphqlEditing = (run: () => void): Extension[] => [
  graphql,
  autocompletion({ override: [source], icons: false, aboveCursor: false }),
  ...editing(run),
]
