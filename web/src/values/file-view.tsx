import './values.css'
import { useState } from 'react'
import { line } from '../format/text.js'
import { Icon } from '../ui/icons.js'
import { Editor } from './lazy-editor.js'
import { PdfView } from './pdf/lazy-pdf-view.js'

export interface FileLike {
  id: string
  name: string | null
  mime: string | null
  url: string | null
}

const kindOf = (mime: string): 'image' | 'audio' | 'video' | 'pdf' | 'text' | 'other' => {
  if (/^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)/.test(mime)) return 'image'
  if (mime.startsWith('audio/')) return 'audio'
  if (mime.startsWith('video/')) return 'video'
  if (mime.startsWith('application/pdf')) return 'pdf'
  if (/^text\/|json|xml|yaml|javascript/.test(mime)) return 'text'
  return 'other'
}

/** Files come from the service or its bucket alone; the policy of the page would stop all others. */
const isHttp = (url: string): boolean => /^https?:\/\//.test(url)

const MAX_TEXT_LENGTH = 1_000_000

/** Shows a file if that is safe: as an image or sound, never as a page. */
export const FileView = ({ file }: { file: FileLike }) => {
  const [text, setText] = useState<string>()
  const [isShown, setShown] = useState(false)
  const [problem, setProblem] = useState<string>()
  const url = file.url !== null && isHttp(file.url) ? file.url : undefined
  const mime = file.mime ?? ''
  const kind = kindOf(mime)
  const name = line(file.name, 100) || 'a file without a name'
  const load = async () => {
    if (url === undefined) return
    try {
      const response = await fetch(url)
      if (!response.ok) throw new Error(`the file can't be read: ${response.status}`)
      setText((await response.text()).slice(0, MAX_TEXT_LENGTH))
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <figure className="media column" style={{ gap: 4, marginTop: 6 }}>
      <figcaption className="row">
        <bdi className="clip">{name}</bdi>
        <span className="file-type quiet">{line(mime, 60)}</span>
        <span className="grow" />
        {kind === 'text' && url !== undefined && text === undefined && (
          <button type="button" className="button small" onClick={load}>
            Show
          </button>
        )}
        {kind === 'pdf' && url !== undefined && !isShown && (
          <button type="button" className="button small" onClick={() => setShown(true)}>
            Show
          </button>
        )}
        {url !== undefined && (
          <a className="button small" href={url} target="_blank" rel="noopener noreferrer">
            <Icon name="open" /> Download
          </a>
        )}
      </figcaption>
      {url === undefined && <span className="quiet">no file was uploaded</span>}
      {url !== undefined && kind === 'image' && (
        <img
          src={url}
          alt={name}
          loading="lazy"
          onError={() => setProblem("the image can't be shown")}
        />
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: recorded sounds have no captions */}
      {url !== undefined && kind === 'audio' && <audio src={url} controls preload="metadata" />}
      {/* biome-ignore lint/a11y/useMediaCaption: recorded films have no captions */}
      {url !== undefined && kind === 'video' && <video src={url} controls preload="metadata" />}
      {isShown && url !== undefined && <PdfView url={url} name={name} />}
      {text !== undefined && <Editor text={text} isJson={mime.includes('json')} label={name} />}
      {problem !== undefined && <span className="bad">{problem}</span>}
    </figure>
  )
}
