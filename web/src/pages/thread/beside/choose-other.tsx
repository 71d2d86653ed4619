import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { FindAnyDocument, type FindAnyQuery } from '../../../../generated/operations.js'
import { read } from '../../../data/use-data.js'
import { line } from '../../../format/text.js'
import { besideLink } from '../../../parts/thread-link.js'
import { threadTitle } from '../../../parts/thread-title.js'
import { Dialog } from '../../../ui/dialog.js'
import { Field } from '../../../ui/field.js'

type Found = Pick<FindAnyQuery['threads']['edges'][number]['node'], 'id' | 'name' | 'firstMessage'>

const FIND_MS = 200

/** Finds another thread by its name or id, to show it beside this one; the newest ones at first. */
export const ChooseOther = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const [text, setText] = useState('')
  const [found, setFound] = useState<readonly Found[]>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    let isCancelled = false
    const query = text.trim()
    const load = async () => {
      const filters = query === '' ? [] : [{ field: 'name', operator: 'ilike', value: query }]
      try {
        const { threadDetail, threads } = await read(FindAnyDocument, { id: query, filters })
        if (isCancelled) return
        const named = threads.edges.map(({ node }) => node)
        const byId =
          threadDetail === null ? [] : [{ ...threadDetail, firstMessage: null, id: query }]
        setFound([...byId, ...named].filter((one) => one.id !== id))
        setProblem(undefined)
      } catch (error) {
        if (!isCancelled) setProblem((error as Error).message)
      }
    }
    const timer = setTimeout(load, query === '' ? 0 : FIND_MS)
    return () => {
      isCancelled = true
      clearTimeout(timer)
    }
  }, [text, id])
  return (
    <Dialog title="Compare with another thread" onClose={onClose}>
      <div className="column" style={{ width: 'min(480px, 80vw)', minHeight: 280 }}>
        <Field label="Name or id">
          {(control) => (
            <input {...control} value={text} onChange={(event) => setText(event.target.value)} />
          )}
        </Field>
        {problem !== undefined && <p className="problem">{problem}</p>}
        {found?.length === 0 && <p className="quiet">No other thread has this name or id.</p>}
        {found?.map((one) => (
          <Link key={one.id} href={besideLink(id, one.id)} className="tool-line">
            <bdi className="clip">{threadTitle(one) || line(one.id)}</bdi>
          </Link>
        ))}
      </div>
    </Dialog>
  )
}
