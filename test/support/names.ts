import { toSnakeCase } from '../../src/spelling.js'

/** Operations whose two names are not two spellings of one, by the contract. */
const PAIRS: Record<string, string> = {
  getProjectId: 'get_my_project_id',
  createPromptLineage: 'get_or_create_prompt_lineage',
}

/** Returns an operation's name in the other spelling. */
export const snakeName = (camelName: string): string => PAIRS[camelName] ?? toSnakeCase(camelName)

/** The operations whose names differ, by their names in snake_case. */
export const NAMED_APART = Object.fromEntries(
  Object.entries(PAIRS).map(([camel, snake]) => [snake, camel]),
)
