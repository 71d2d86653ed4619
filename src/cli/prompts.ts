import { GetPromptLineagesDocument, GetPromptSnapshotDocument } from '../../generated/operations.js'
import { StepwellClient } from '../client.js'
import { promptFieldsOf } from '../prompts/prompt.js'
import type { PromptRolloutCopy } from '../prompts/rollout.js'
import { snapshotModule } from '../prompts/snapshot-module.js'
import { noSuchCommand, readUsage } from './usage.js'
import { writeOut } from './write-out.js'

const HELP = `Usage: stepwell prompts pull [--out FILE]

Writes the current prompts of the project, with their splits and labels, into a TypeScript module. It is a snapshot for times when
the service is unreachable, and has the types of the prompts' variables.

  --out  the file to write. Default: src/prompts.ts
`

/** Writes a snapshot of the project's prompts. */
export const prompts = async (args: readonly string[]): Promise<number> => {
  const usage = readUsage(args, HELP, ['out'])
  if (usage === undefined) return 0
  if (usage.command !== 'pull') throw noSuchCommand(usage.command, ['pull'])
  const { out = 'src/prompts.ts' } = usage.values
  const stepwell = new StepwellClient({ disabled: true })
  const { promptLineages } = await stepwell.query(GetPromptLineagesDocument)
  const copies = new Map<string, PromptRolloutCopy>()
  for (const { node } of promptLineages.edges) {
    const { promptRollout } = await stepwell.query(GetPromptSnapshotDocument, { name: node.name })
    // A prompt without a version has no content.
    if (promptRollout === null || promptRollout.versions.length === 0) continue
    const { labels, labelledVersions, versions } = promptRollout
    copies.set(node.name, {
      lineageId: promptRollout.lineage.id,
      segments: promptRollout.segments,
      versions: [...versions, ...labelledVersions].map(promptFieldsOf),
      ...(labels.length === 0 ? {} : { labels }),
    })
  }
  writeOut(out, snapshotModule(Object.fromEntries(copies)))
  process.stdout.write(`${copies.size} prompts written to ${out}\n`)
  return 0
}
