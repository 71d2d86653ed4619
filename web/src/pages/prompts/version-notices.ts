import { line } from '../../format/text.js'

/** Names a version of the address that a prompt does not have. */
export const versionNotices = (
  versions: readonly { version: number }[],
  asked: string | undefined,
  instead: string,
): readonly string[] =>
  asked === undefined || versions.some(({ version }) => String(version) === asked)
    ? []
    : [`There is no version ${line(asked, 20)} of this prompt.${instead}`]
