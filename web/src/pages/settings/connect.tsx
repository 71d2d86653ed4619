import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { FirstStepDocument, RecordExampleDocument } from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useSingleFlight } from '../../browser/use-single-flight.js'
import { plainClient } from '../../data/client.js'
import { useMayWrite, useProject } from '../../data/project.js'
import { read, useChange } from '../../data/use-data.js'
import { serviceUrl } from '../../format/base.js'
import { CodeBlocks } from '../../parts/code-blocks.js'
import {
  chainlitWay,
  httpWay,
  KEY_TO_COME,
  legacyWay,
  otlpWay,
  typescriptWay,
} from '../../parts/snippets.js'
import { useToast } from '../../ui/toasts.js'
import { ConnectKey } from './connect-key.js'
import { EXAMPLE_THREAD, exampleSteps } from './example.js'

const WAYS = {
  typescript: { title: 'TypeScript', blocks: typescriptWay },
  legacy: { title: 'Literal AI clients', blocks: legacyWay },
  chainlit: { title: 'Chainlit', blocks: chainlitWay },
  otlp: { title: 'OpenTelemetry', blocks: otlpWay },
  http: { title: 'HTTP', blocks: httpWay },
} as const

const POLL_MS = 2000

/** Ways to record data, with the address of this service filled in. */
export const ConnectSection = () => {
  const [way, setWay] = useState<keyof typeof WAYS>('typescript')
  const [key, setKey] = useState<string>()
  const project = useProject()
  const mayWrite = useMayWrite()
  const first = useFirstStep()
  const record = useChange(RecordExampleDocument)
  const showToast = useToast()
  const recordExample = useSingleFlight(async () => {
    try {
      const { threadId, steps } = exampleSteps()
      const { ingestSteps } = await record({
        steps,
        threads: [{ id: threadId, ...EXAMPLE_THREAD }],
      })
      if (!ingestSteps.ok) throw new Error(ingestSteps.message ?? 'it was rejected')
      showToast(
        <Link href={`/threads/${segment(threadId)}`}>
          The example is recorded: open it. Delete it there when you have seen it.
        </Link>,
      )
    } catch (error) {
      showToast(error as Error)
    }
  })
  const url = serviceUrl()
  return (
    <div className="column" style={{ maxWidth: 760, gap: 16 }}>
      <p>
        Project <code>{project.id}</code>. <Link href="/settings/keys">Keys</Link> lists and creates
        API keys; the first one is in the file <code>api-key</code> of the data folder.
      </p>
      <div className="tabs" role="tablist" aria-label="Ways to connect">
        {(Object.keys(WAYS) as (keyof typeof WAYS)[]).map((name) => (
          <button
            type="button"
            key={name}
            role="tab"
            aria-selected={name === way}
            onClick={() => setWay(name)}
          >
            {WAYS[name].title}
          </button>
        ))}
      </div>
      <ConnectKey hasKey={key !== undefined} onMade={setKey} />
      <CodeBlocks blocks={WAYS[way].blocks(url, key ?? KEY_TO_COME)} />
      <p className="panel" style={{ padding: 12 }} role="status">
        {first === undefined ? (
          'Waiting for the first step …'
        ) : (
          <Link href={`/steps/${segment(first)}`}>Steps are arriving: see the newest one</Link>
        )}
      </p>
      {mayWrite && (
        <div className="column">
          <p>
            No application at hand? This sends a small conversation through the public API, from
            this page.
          </p>
          <div>
            <button
              type="button"
              className={first === undefined ? 'button primary' : 'button'}
              onClick={recordExample}
            >
              Record an example
            </button>
          </div>
        </div>
      )}
    </div>
  )
}

/** Returns the newest step, as soon as there is one. */
const useFirstStep = (): string | undefined => {
  const [id, setId] = useState<string>()
  useEffect(() => {
    if (id !== undefined) return
    const look = async () => {
      const answer = await read(FirstStepDocument, {}, plainClient).catch(() => null)
      setId(answer?.steps.edges[0]?.node.id)
    }
    void look()
    const timer = setInterval(look, POLL_MS)
    return () => clearInterval(timer)
  }, [id])
  return id
}
