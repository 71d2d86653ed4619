import { line } from '../format/text.js'

/** A name, or else the id: nobody would see a link with white space alone. */
export const NameOrId = ({
  name,
  id,
  most,
}: {
  name: string | null | undefined
  id: string
  most?: number
}) => {
  const shown = line(name, most)
  return shown === '' ? <bdi className="quiet mono">{line(id)}</bdi> : <bdi>{shown}</bdi>
}
