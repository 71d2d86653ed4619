import type { PromptFields } from './fields.js'
import type { PromptRolloutCopy } from './rollout.js'

/** Prompts as they were when `stepwell prompts pull` wrote them down, by name. */
export type PromptSnapshot = Readonly<Record<string, PromptRolloutCopy>>

/** Returns a snapshot's copy of a prompt, by either of its names. */
export const copyOf = (
  snapshot: PromptSnapshot | undefined,
  name: string,
): PromptRolloutCopy | undefined =>
  snapshot !== undefined && Object.hasOwn(snapshot, name) ? snapshot[name] : undefined

/** Returns the version that a label leads to, in a copy of a prompt. */
export const versionByLabel = (
  { labels, versions }: PromptRolloutCopy,
  label: string,
): PromptFields | undefined => {
  const wanted = labels?.find(({ name }) => name === label)?.version
  return versions.find(({ version }) => version === wanted)
}

/** Returns a version in a snapshot, by its id. */
export const versionById = (
  snapshot: PromptSnapshot | undefined,
  id: string,
): PromptFields | undefined =>
  Object.values(snapshot ?? {})
    .flatMap(({ versions }) => versions)
    .find((version) => version.id === id)
