import { useState } from 'react'

/** Takes a file: chosen, or dropped. */
export const FileChoice = ({ onFile }: { onFile: (file: File) => void }) => {
  const [isOver, setOver] = useState(false)
  return (
    <label
      className={`import-drop ${isOver ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        const [file] = event.dataTransfer.files
        if (file !== undefined) onFile(file)
      }}
    >
      <span>Drop a CSV or JSONL file here, or choose one</span>
      <input
        type="file"
        accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/csv,application/jsonl"
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file !== undefined) onFile(file)
        }}
      />
      <span className="quiet">
        The first row of CSV names the columns; a line of JSONL is an object. At most 100 MB.
      </span>
    </label>
  )
}
