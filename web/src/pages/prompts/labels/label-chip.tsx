import { line } from '../../../format/text.js'

/** A label beside the version that it leads to. */
export const LabelChip = ({ name }: { name: string }) => (
  <bdi className="label-chip" title={name}>
    {line(name, 30)}
  </bdi>
)
