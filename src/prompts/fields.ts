import type { PromptFieldsFragment } from '../../generated/operations.js'
import type { PromptVersion } from '../../generated/schema.js'

/** A version of a prompt, as the service returns it. */
export type PromptVersionFields = PromptFieldsFragment

/** A version of a prompt as plain data. It never changes. */
export type PromptFields = Pick<
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
