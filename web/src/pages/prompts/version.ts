import type { PromptPageQuery } from '../../../generated/operations.js'

/** A version as the page of its prompt reads it. */
export type Version = NonNullable<PromptPageQuery['promptLineage']>['versions'][number]
