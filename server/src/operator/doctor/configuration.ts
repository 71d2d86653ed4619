import { readSettings, type Settings, SettingsError } from '../../settings.js'
import { broken, type Finding, ok, warning } from './check.js'

/** Reads the settings as a start would. They are undefined when one of them is invalid. */
export const configuration = (
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): { settings: Settings | undefined; findings: readonly Finding[] } => {
  try {
    const settings = readSettings(args, environment)
    if (settings === null) return { settings: undefined, findings: [] }
    const doubts = settings.warnings.map((text) => warning(text, remedyOf(text)))
    return { settings, findings: doubts.length > 0 ? doubts : [ok('every setting is valid')] }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const remedy =
      'correct it in the options, the environment or the file of --config; stepwell serve --help lists the settings'
    return { settings: undefined, findings: error.problems.map((text) => broken(text, remedy)) }
  }
}

/** The warnings of a start say most of it themselves. */
const remedyOf = (text: string): string => {
  const [, name = '', near] =
    /^(\w+): nothing reads this variable(?: \(did you mean (\w+)\?\))?/.exec(text) ?? []
  if (name === '') return 'set DATABASE_URL, or a file by --config, instead of the option'
  return near === undefined ? `unset ${name}` : `rename it to ${near}`
}
