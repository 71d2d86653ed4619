import { line } from '../format/text.js'

/** Names a parameter of the address that says nothing here, and what stands in for it. */
export const noticeOf = (name: string, value: string, expected: string, instead: string): string =>
  `“${line(value, 60)}” in this address is no ${name}: expected ${expected}. ${instead}`

/** Names a parameter of the address that has none of the values it can have. */
export const choiceNotices = (
  name: string,
  value: string | undefined,
  choices: readonly string[],
  instead: string,
): readonly string[] =>
  value === undefined || choices.includes(value)
    ? []
    : [noticeOf(name, value, `one of ${choices.join(', ')}`, instead)]

/** Names the id of a thing that is not there. */
export const missingNotice = (name: string, id: string, instead = ''): string =>
  `There is no ${name} with the id “${line(id, 60)}” of this address: it was deleted, or it belongs to another project.${instead === '' ? '' : ` ${instead}`}`
