import type { PromptFieldsFragment } from '../../generated/operations.js'
import type { PromptVersion } from '../../generated/schema.js'

/** What the service says of a version of a prompt. */
export type PromptVersionFields = PromptFieldsFragment

/** A version of a prompt. It never changes. */
export type Prompt = Pick<
  PromptVersion,
  | 'id'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
  | 'type'
  | 'label'
  | 'status'
  | 'tags'
  | 'versionDesc'
  | 'tools'
  | 'url'
> & {
  /** The name of its lineage. */
  name: string
  /** The id of its lineage. */
  lineageId: string
  /** Messages with Mustache tags, each with a `uuid`. */
  templateMessages: TemplateMessage[]
  /** Who runs the model, for example `openai`; null when the settings name nobody. */
  provider: string | null
  /** Model, temperature and other settings, without the provider. */
  settings: Record<string, unknown>
  /** The template's variables. */
  variables: PromptVariable[]
  /** Values for variables that are left out. */
  variablesDefaultValues: Record<string, unknown>
}

export interface TemplateMessage {
  uuid: string
  role: string
  content: unknown
  [key: string]: unknown
}

export interface PromptVariable {
  name: string
  /** `json` for what the template takes as a list, object or condition, `plaintext` for what it prints. */
  language: 'json' | 'plaintext'
}

/** The prompt that a user holds, from what the service says. A query of the user's own may ask for less. */
export const toPrompt = ({ lineage, settings, ...version }: PromptVersionFields): Prompt => {
  const { provider, ...rest } = (settings ?? {}) as Record<string, unknown>
  return {
    ...version,
    name: lineage?.name,
    lineageId: lineage?.id,
    templateMessages: (version.templateMessages ?? []) as TemplateMessage[],
    provider: typeof provider === 'string' ? provider : null,
    settings: rest,
    variables: (version.variables ?? []) as PromptVariable[],
    variablesDefaultValues: (version.variablesDefaultValues ?? {}) as Record<string, unknown>,
  }
}
