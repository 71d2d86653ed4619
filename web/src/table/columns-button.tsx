import { useState } from 'react'
import { useActions } from '../browser/actions.js'
import { Dialog } from '../ui/dialog.js'

/** Chooses the columns of a list, and their order. */
export const ColumnsButton = ({
  columns,
  shown,
  onChoose,
}: {
  columns: readonly { id: string; title: string; isMain?: boolean }[]
  /** The ids of the shown columns, in order. */
  shown: readonly string[]
  /** Undefined restores the defaults. */
  onChoose: (ids: readonly string[] | undefined) => void
}) => {
  const [isOpen, setOpen] = useState(false)
  useActions([{ name: 'Choose columns…', run: () => setOpen(true) }])
  const titleOf = (id: string) => columns.find((column) => column.id === id)?.title ?? id
  const move = (id: string, by: 1 | -1) => {
    const ids = [...shown]
    const from = ids.indexOf(id)
    ids.splice(from, 1)
    ids.splice(from + by, 0, id)
    onChoose(ids)
  }
  const hidden = columns.filter(({ id }) => !shown.includes(id))
  return (
    <>
      <button type="button" className="button plain only-wide" onClick={() => setOpen(true)}>
        columns
      </button>
      {isOpen && (
        <Dialog title="Columns" onClose={() => setOpen(false)}>
          <ul className="column-list">
            {shown.map((id, place) => (
              <li key={id} className="row">
                <label className="row grow">
                  <input
                    type="checkbox"
                    checked
                    disabled={columns.find((column) => column.id === id)?.isMain}
                    onChange={() => onChoose(shown.filter((one) => one !== id))}
                  />
                  {titleOf(id)}
                </label>
                <button
                  type="button"
                  className="button plain small"
                  aria-label={`${titleOf(id)}: further left`}
                  disabled={place === 0}
                  onClick={() => move(id, -1)}
                >
                  ↑
                </button>
                <button
                  type="button"
                  className="button plain small"
                  aria-label={`${titleOf(id)}: further right`}
                  disabled={place === shown.length - 1}
                  onClick={() => move(id, 1)}
                >
                  ↓
                </button>
              </li>
            ))}
            {hidden.map(({ id, title }) => (
              <li key={id}>
                <label className="row">
                  <input
                    type="checkbox"
                    checked={false}
                    onChange={() => onChoose([...shown, id])}
                  />
                  {title}
                </label>
              </li>
            ))}
          </ul>
          <p className="quiet">
            When space is short, columns are hidden from the right. Drag the border of a heading to
            change its width.
          </p>
          <button type="button" className="button" onClick={() => onChoose(undefined)}>
            Reset
          </button>
        </Dialog>
      )}
    </>
  )
}
