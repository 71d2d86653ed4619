import './query.css'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useAddress } from '../../../address/use-address.js'
import { useStableCallback } from '../../../browser/use-stable-callback.js'
import { useMayWrite } from '../../../data/project.js'
import { duration } from '../../../format/time.js'
import { FailureNote } from '../../../ui/failure.js'
import { Editor } from '../../../values/editor.js'
import { editing, graphqlEditing } from './language.js'
import { type Outcome, readVariables, runQuery } from './run.js'
import { loadSchema } from './schema.js'

const EXAMPLE = `# Ctrl+Space completes from the schema, Ctrl+Enter runs.
query Newest($first: Int) {
  threads(first: $first) {
    edges {
      node { id name stepCount errorCount }
    }
  }
}
`
const EXAMPLE_VARIABLES = '{ "first": 5 }'
const TYPING_MS = 300
/** Longer addresses are cut or refused on their way. */
const MAX_ADDRESS = 6000

/** Runs GraphQL against the service, with the rights of whoever is signed in. Nothing runs by itself: a link may hold a mutation. */
export const QuerySection = () => {
  const address = useAddress()
  const mayWrite = useMayWrite()
  const [query, setQuery] = useState(() => address.get('query') ?? EXAMPLE)
  const [variables, setVariables] = useState(
    () => address.get('variables') ?? (address.get('query') === undefined ? EXAMPLE_VARIABLES : ''),
  )
  /** The newest texts of the editors; the state follows with the next rendering. */
  const latest = useRef({ query, variables })
  const [outcome, setOutcome] = useState<Outcome>()
  const [problem, setProblem] = useState<Error>()
  const [schemaProblem, setSchemaProblem] = useState<string>()
  const [running, setRunning] = useState<AbortController>()
  useEffect(() => {
    loadSchema().catch((error) => setSchemaProblem((error as Error).message))
  }, [])

  const isTooLong = query.length + variables.length > MAX_ADDRESS
  const typed = useRef(false)
  useEffect(() => {
    if (!typed.current) return
    const timer = setTimeout(
      () =>
        address.set(isTooLong ? { query: null, variables: null } : { query, variables }, {
          replace: true,
        }),
      TYPING_MS,
    )
    return () => clearTimeout(timer)
  }, [query, variables, isTooLong])
  const change = (name: 'query' | 'variables', set: (text: string) => void) => (text: string) => {
    typed.current = true
    latest.current[name] = text
    set(text)
  }

  const run = useStableCallback(async () => {
    if (running !== undefined) return
    setProblem(undefined)
    const controller = new AbortController()
    try {
      const read = readVariables(latest.current.variables)
      setRunning(controller)
      setOutcome(await runQuery(latest.current.query, read, controller.signal))
    } catch (error) {
      setOutcome(undefined)
      setProblem(controller.signal.aborted ? new Error('Aborted.') : (error as Error))
    } finally {
      setRunning(undefined)
    }
  })
  useEffect(() => () => running?.abort(), [running])
  const [queryExtensions, variableExtensions] = useMemo(
    () => [graphqlEditing(() => void run()), editing(() => void run())],
    [run],
  )

  return (
    <div className="query-page">
      <div className="column">
        <p className="soft">
          Runs against this project with your rights{mayWrite ? '' : ', which are to read'}. The
          address holds the query, so that a link shows it; nothing runs before you do.
        </p>
        <h2>Query</h2>
        <Editor
          className="editor query-text"
          label="Query"
          isJson={false}
          text={query}
          onChange={change('query', setQuery)}
          extensions={queryExtensions}
        />
        <h2>Variables</h2>
        <Editor
          className="editor query-variables"
          label="Variables"
          text={variables}
          onChange={change('variables', setVariables)}
          extensions={variableExtensions}
        />
        {isTooLong && (
          <p className="notice">The query is too long for an address, so that a link lacks it.</p>
        )}
        {schemaProblem !== undefined && (
          <p className="notice">There is no completion: {schemaProblem}</p>
        )}
        <div className="row">
          <button
            type="button"
            className="button primary"
            onClick={() => void run()}
            aria-disabled={running !== undefined}
          >
            Run <kbd>Ctrl ↵</kbd>
          </button>
          {running !== undefined && (
            <button type="button" className="button" onClick={() => running.abort()}>
              Abort
            </button>
          )}
          <span className="soft" role="status">
            {running !== undefined
              ? 'running…'
              : outcome !== undefined &&
                `status ${outcome.status}, ${duration(outcome.milliseconds)}`}
          </span>
        </div>
      </div>
      <div className="column">
        <h2>Result</h2>
        <FailureNote error={problem} />
        {outcome !== undefined && outcome.errors.length > 0 && (
          <ul className="problem query-errors" role="alert">
            {outcome.errors.map(({ message, line, column, path }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the errors of one answer never change
              <li key={index}>
                {line !== undefined && `line ${line}, column ${column}: `}
                {message}
                {path !== undefined && ` (${path})`}
              </li>
            ))}
          </ul>
        )}
        <Editor className="editor query-result" label="Result" text={outcome?.text ?? ''} />
      </div>
    </div>
  )
}
