import type { Version } from './version.js'
import { VersionDiff } from './version-diff.js'

/** Compares the chosen version with another one. */
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
}) => (
  <>
    <div className="row">
      <label className="row">
        v{chosen.version} against
        <select
          className="field"
          aria-label="The other version"
          value={against?.version ?? ''}
          onChange={(event) => onAgainst(event.target.value)}
        >
          {versions.map(({ version }) => (
            <option key={version} value={version}>
              v{version}
            </option>
          ))}
        </select>
      </label>
    </div>
    {against === undefined ? (
      <p className="quiet">This is the first version.</p>
    ) : (
      <VersionDiff from={against} to={chosen} />
    )}
  </>
)
