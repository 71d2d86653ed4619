import type { RefObject } from 'react'
import { useToast } from '../ui/toasts.js'
import type { ChartProps } from './chart-props.js'
import { csvOf } from './csv.js'
import { copyPicture, saveFile } from './picture.js'

/** Shows the figures of a chart as a table, and takes them along: as CSV, and as a picture. */
export const ChartActions = ({
  figure,
  isTable,
  onTable,
  ...props
}: ChartProps & {
  figure: RefObject<HTMLElement | null>
  isTable: boolean
  onTable: (isTable: boolean) => void
}) => {
  const showToast = useToast()
  const { title, emptyText, lines } = props
  const isEmpty = emptyText !== undefined || lines.length === 0
  const picture = async () => {
    const canvas = figure.current?.querySelector('canvas')
    if (canvas == null || figure.current === null) return
    try {
      showToast(
        (await copyPicture(canvas, figure.current, props))
          ? 'The picture is in the clipboard.'
          : 'The picture is downloaded: this browser lets no page copy pictures here.',
      )
    } catch (error) {
      showToast(`There is no picture: ${(error as Error).message}`)
    }
  }
  return (
    <>
      <button
        type="button"
        className="button plain small"
        aria-pressed={isTable}
        aria-label={`table of ${title}`}
        disabled={isEmpty && !isTable}
        onClick={() => onTable(!isTable)}
      >
        table
      </button>
      <button
        type="button"
        className="button plain small"
        disabled={isEmpty}
        aria-label={`CSV of ${title}`}
        title="Download the figures"
        onClick={() =>
          saveFile(`${title}.csv`, new Blob([csvOf(props)], { type: 'text/csv;charset=utf-8' }))
        }
      >
        CSV
      </button>
      <button
        type="button"
        className="button plain small"
        disabled={isEmpty || isTable}
        aria-label={`picture of ${title}`}
        title="Copy as a picture"
        onClick={picture}
      >
        picture
      </button>
    </>
  )
}
