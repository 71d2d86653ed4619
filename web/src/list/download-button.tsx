import { useState } from 'react'
import { useActions } from '../browser/actions.js'
import { Field } from '../ui/field.js'
import { FormDialog } from '../ui/forms/form-dialog.js'
import { useToast } from '../ui/toasts.js'
import { type Download, download } from './download.js'

const HINTS: Record<Download['format'], string> = {
  csv: 'Texts that would run as formulas begin with an apostrophe. Objects are JSON in a cell.',
  jsonl: 'An object a line, with exact values.',
  parquet: 'Columns with types, for DuckDB, pandas and others.',
}

/** Downloads the rows of a list as filtered, on all its pages. */
export const DownloadButton = ({
  list,
  query,
  filters,
  orderBy,
  counted,
  noun,
  isDisabled,
}: Pick<Download, 'list' | 'query' | 'filters' | 'orderBy'> & {
  /** The number of rows in words; empty while it is unknown. */
  counted: string
  /** The rows in words. */
  noun: string
  isDisabled: boolean
}) => {
  const [isOpen, setOpen] = useState(false)
  const [format, setFormat] = useState<Download['format']>('csv')
  const [bom, setBom] = useState(true)
  const showToast = useToast()
  useActions([
    !isDisabled && {
      name: `Download the ${noun} as CSV, JSONL or Parquet…`,
      run: () => setOpen(true),
    },
  ])
  const filtered = filters.length > 0 || query !== undefined ? ' that match the filter' : ''
  return (
    <>
      <button
        type="button"
        className="button plain only-wide"
        disabled={isDisabled}
        onClick={() => setOpen(true)}
      >
        download
      </button>
      {isOpen && (
        <FormDialog
          title={`Download ${noun}`}
          send="Download"
          onClose={() => setOpen(false)}
          onSend={async () => {
            await download({
              list,
              format,
              query,
              filters,
              orderBy,
              ...(format === 'csv' ? { bom } : {}),
            })
            showToast('The download has begun; your browser shows how far it is.')
          }}
        >
          <p>
            {counted === '' ? `All ${noun}` : counted}
            {filtered}, in the order of the list. Nothing in the service changes.
          </p>
          <Field label="Format" hint={HINTS[format]}>
            {(control) => (
              <select
                {...control}
                value={format}
                onChange={(event) => setFormat(event.target.value as Download['format'])}
              >
                <option value="csv">CSV, for spreadsheets</option>
                <option value="jsonl">JSONL, for programs</option>
                <option value="parquet">Parquet, for analysis</option>
              </select>
            )}
          </Field>
          {format === 'csv' && (
            <label className="row">
              <input
                type="checkbox"
                checked={bom}
                onChange={(event) => setBom(event.target.checked)}
              />
              For Excel (with a byte order mark)
            </label>
          )}
        </FormDialog>
      )}
    </>
  )
}
