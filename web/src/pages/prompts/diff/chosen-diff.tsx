import type { Version } from '../version.js'
import { VersionDiff } from './version-diff.js'

/** Compares the chosen version with another one. Reads from the older to the newer, whichever was chosen first. */
export const ChosenDiff = ({
  versions,
  chosen,
  against,
  onAgainst,
}: {
  versions: readonly Version[]
  chosen: Version
  against: Version | undefined
  onAgainst: (version: string) => void
}) => {
  const others = versions.filter((one) => one !== chosen)
  if (against === undefined || others.length === 0)
    return <p className="quiet">This is the only version.</p>
  const [older, newer] = against.version < chosen.version ? [against, chosen] : [chosen, against]
  return (
    <>
      <div className="row wrap">
        <h2>
          v{older.version} → v{newer.version}
        </h2>
        <label className="row">
          v{chosen.version} compared with
          <select
            className="field"
            aria-label="The other version"
            value={against.version}
            onChange={(event) => onAgainst(event.target.value)}
          >
            {others.map(({ version }) => (
              <option key={version} value={version}>
                v{version}
              </option>
            ))}
          </select>
        </label>
      </div>
      <VersionDiff from={older} to={newer} />
    </>
  )
}
