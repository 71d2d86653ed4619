import { useMemo, useRef } from 'react'
import { Editor } from '../../../values/editor.js'
import { mustacheEditing } from './mustache.js'

/** Edits a text with variables. */
export const TemplateEditor = ({
  text,
  label,
  names,
  onChange,
}: {
  text: string
  label: string
  /** The variables that are offered after `{{`. */
  names: readonly string[]
  onChange: (text: string) => void
}) => {
  const latest = useRef(names)
  latest.current = names
  const extensions = useMemo(() => mustacheEditing(() => latest.current), [])
  return (
    <Editor
      className="editor template"
      isJson={false}
      label={label}
      text={text}
      onChange={onChange}
      extensions={extensions}
    />
  )
}
