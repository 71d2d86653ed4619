import wasmUrl from '@embedpdf/pdfium/pdfium.wasm?url'
import { useEffect, useRef, useState } from 'react'
import { startWorker } from '../../browser/start-worker.js'
import engineUrl from './engine.ts?worker&url'
import type { FromEngine, ToEngine } from './messages.js'

const MAX_BYTES = 50_000_000
/** Time after which a reader would give up. */
const TIMEOUT_MS = 20_000
const MAX_PIXEL_RATIO = 2

const bytesOf = async (url: string): Promise<ArrayBuffer> => {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`the file can't be read: ${response.status}`)
  if (Number(response.headers.get('content-length')) > MAX_BYTES)
    throw new Error(`it has more than ${MAX_BYTES / 1_000_000} MB; download it`)
  return response.arrayBuffer()
}

/** Shows a PDF page by page as pictures: nothing in it can run. */
export const PdfView = ({ url, name }: { url: string; name: string }) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const engine = useRef<Worker>(undefined)
  const [pages, setPages] = useState<number>()
  const [place, setPlace] = useState(0)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const worker = startWorker('pdf', engineUrl)
    engine.current = worker
    let isGone = false
    const fail = (message: string) => {
      worker.terminate()
      if (!isGone) setProblem(`The PDF can't be shown: ${message}.`)
    }
    let patience: ReturnType<typeof setTimeout> | undefined
    const expect = () => {
      clearTimeout(patience)
      patience = setTimeout(() => fail('it takes too long'), TIMEOUT_MS)
    }
    worker.addEventListener('error', () => fail('the viewer failed'))
    worker.addEventListener('message', ({ data }: MessageEvent<FromEngine>) => {
      clearTimeout(patience)
      if (data.tells === 'failed') fail(data.message)
      else if (data.tells === 'opened') {
        setPages(data.pages)
        expect()
      } else if (canvas.current !== null) {
        canvas.current.width = data.width
        canvas.current.height = data.height
        const image = new ImageData(new Uint8ClampedArray(data.pixels), data.width, data.height)
        canvas.current.getContext('2d')?.putImageData(image, 0, 0)
      }
    })
    Promise.all([bytesOf(wasmUrl), bytesOf(url)]).then(
      ([own, content]) => {
        if (isGone) return
        expect()
        worker.postMessage({ ask: 'open', engine: own, content } satisfies ToEngine, [own, content])
      },
      (error: Error) => fail(error.message),
    )
    return () => {
      isGone = true
      clearTimeout(patience)
      worker.terminate()
    }
  }, [url])
  useEffect(() => {
    if (pages === undefined) return
    const width =
      (canvas.current?.parentElement?.clientWidth ?? 600) *
      Math.min(MAX_PIXEL_RATIO, devicePixelRatio)
    engine.current?.postMessage({ ask: 'draw', place, width } satisfies ToEngine)
  }, [pages, place])
  if (problem !== undefined) return <span className="bad">{problem}</span>
  return (
    <div className="pdf">
      <canvas ref={canvas} role="img" aria-label={`${name}, page ${place + 1}`} />
      {pages !== undefined && pages > 1 && (
        <div className="row">
          <button
            type="button"
            className="button small"
            disabled={place === 0}
            onClick={() => setPlace(place - 1)}
          >
            ‹ page
          </button>
          <span className="soft" aria-live="polite">
            page {place + 1} of {pages}
          </span>
          <button
            type="button"
            className="button small"
            disabled={place === pages - 1}
            onClick={() => setPlace(place + 1)}
          >
            page ›
          </button>
        </div>
      )}
    </div>
  )
}
