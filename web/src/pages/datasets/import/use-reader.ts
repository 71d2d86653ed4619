import { useEffect, useRef, useState } from 'react'
import { startWorker } from '../../../browser/start-worker.js'
import type { ImportedItem } from '../../../importing/importing.js'
import engineUrl from './engine.ts?worker&url'
import type { FileColumn, FromReader, Mapped, Places, ToReader } from './messages.js'

export interface ReadFile {
  rowCount: number
  columns: readonly FileColumn[]
}

interface State {
  file?: File
  read?: ReadFile
  mapped?: Mapped
  /** True while the items of another mapping are awaited. */
  isMapping?: boolean
  problem?: string
}

/** Reads a file in a thread of its own, and makes items of its rows by a mapping. */
export const useReader = (file: File | undefined, places: Places | undefined) => {
  const [state, setState] = useState<State>({})
  const worker = useRef<Worker>(undefined)
  const ticket = useRef(0)
  const hear = useRef<(portion: FromReader) => void>(undefined)
  useEffect(() => {
    if (file === undefined) return setState({})
    setState({ file })
    const thread = startWorker('import', engineUrl)
    worker.current = thread
    const change = (part: State) => setState((before) => ({ ...before, ...part }))
    const fail = (problem: string) => {
      change({ problem })
      hear.current?.({ tells: 'failed', message: problem })
    }
    thread.addEventListener('message', ({ data }: MessageEvent<FromReader>) => {
      if (data.tells === 'failed') fail(data.message)
      else if (data.tells === 'columns') change({ read: data })
      else if (data.tells === 'items') hear.current?.(data)
      else if (data.ticket === ticket.current) change({ mapped: data.mapped, isMapping: false })
    })
    thread.addEventListener('error', () => fail('The file could not be read.'))
    tell(thread, { ask: 'read', file })
    return () => thread.terminate()
  }, [file])
  // An answer about another file would stand below the name of this one.
  const own = state.file === file ? state : {}
  const isRead = own.read !== undefined
  useEffect(() => {
    if (!isRead || places === undefined || worker.current === undefined) return
    ticket.current++
    setState((before) => ({ ...before, isMapping: true }))
    tell(worker.current, { ask: 'map', ticket: ticket.current, places })
  }, [isRead, places])
  return {
    ...own,
    /** Yields the items by the latest mapping, reading them in portions. */
    items: async function* (): AsyncGenerator<ImportedItem> {
      let from: number | undefined = 0
      while (from !== undefined) {
        const at: number = from
        const portion: FromReader = await new Promise((resolve) => {
          hear.current = resolve
          if (worker.current !== undefined) tell(worker.current, { ask: 'items', from: at })
        })
        if (portion.tells !== 'items') throw new Error('The file could not be read.')
        yield* portion.items
        from = portion.next
      }
    },
  }
}

const tell = (worker: Worker, message: ToReader) => worker.postMessage(message)
