import { Link } from 'wouter'
import { segment } from '../../address/segment.js'
import { quote } from '../../filter/show.js'
import { count } from '../../format/number.js'
import { Time } from '../../table/cells.js'
import { LabelChip } from './labels/label-chip.js'
import type { Version } from './version.js'

/** The versions of a prompt, the newest first, with their shares and uses. */
export const VersionList = ({
  name,
  versions,
  chosen,
  labels,
  percentOf,
  linkTo,
}: {
  name: string
  versions: readonly Version[]
  chosen: Version
  labels: readonly { name: string; version: number }[]
  /** The share of the calls that a version gets. */
  percentOf: (version: number) => number
  linkTo: (version: number) => string
}) => (
  <div className="version-list">
    <table className="table" aria-label="Versions" style={{ tableLayout: 'auto' }}>
      <thead>
        <tr>
          <th scope="col">v</th>
          <th scope="col">Created</th>
          <th scope="col" className="right">
            Split
          </th>
          <th scope="col" className="right">
            Uses 7 d
          </th>
          <th scope="col" className="right">
            Tok
          </th>
        </tr>
      </thead>
      <tbody>
        {versions.map((version) => (
          <tr key={version.id} aria-selected={version === chosen || undefined}>
            <td style={{ whiteSpace: 'normal' }}>
              <Link href={linkTo(version.version)}>v{version.version}</Link>
              {labels
                .filter((label) => label.version === version.version)
                .map((label) => (
                  <LabelChip key={label.name} name={label.name} />
                ))}
            </td>
            <td>
              <Time at={version.createdAt} />
            </td>
            <td className="right">{percentOf(version.version)} %</td>
            <td className="right">
              <Link
                href={`/generations?range=7d&q=${segment(`prompt=${quote(name)} version=${version.version}`)}`}
              >
                {count(version.use.generationCount)}
              </Link>
            </td>
            <td className="right">
              {count(version.use.meanTokens === null ? null : Math.round(version.use.meanTokens))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
