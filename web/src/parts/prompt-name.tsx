import { Link } from 'wouter'
import { PromptNameDocument } from '../../generated/operations.js'
import { segment } from '../address/segment.js'
import { useData } from '../data/use-data.js'
import { line } from '../format/text.js'

/** The name and number of a prompt version, with a link; the id of a deleted one. */
export const PromptName = ({ id }: { id: string }) => {
  const { data, problem } = useData(PromptNameDocument, { id }, { keep: false })
  // As high as a name, so that rows don't grow when it comes.
  if (data === undefined && problem === undefined) return <>&nbsp;</>
  const promptVersion = data?.promptVersion ?? null
  if (promptVersion === null) return <bdi className="mono">{line(id)}</bdi>
  const { name } = promptVersion.lineage
  return (
    <Link href={`/prompts/${segment(name)}?v=${promptVersion.version}`}>
      <bdi>{line(name, 60)}</bdi> v{promptVersion.version}
    </Link>
  )
}
