import { migrations } from '../../database/database.js'
import { packageVersion } from '../../kernel/package-folder.js'
import { broken, type Finding, ok, warning } from './check.js'

/** Compares the migrations of a database with those of this program. */
export const migrationState = (names: readonly string[], opened: string): Finding => {
  const known = Object.keys(migrations)
  const newer = names.filter((name) => !known.includes(name))
  const pending = known.filter((name) => !names.includes(name))
  const version = packageVersion()
  if (newer.length > 0)
    return broken(
      `${opened}, and a newer version of Stepwell than ${version} brought it up to date (${newer.join(', ')})`,
      'start that version, or a later one: npm install stepwell@latest @stepwell/server@latest',
    )
  if (names.length === 0) return ok(`${opened}, and is empty; the first start makes its tables`)
  if (pending.length > 0)
    return warning(
      `${opened}, and ${pending.length} of ${known.length} migrations of version ${version} are pending`,
      'back it up, then start this version of the service on it, which brings it up to date',
    )
  return ok(`${opened}, up to date with version ${version}`)
}
