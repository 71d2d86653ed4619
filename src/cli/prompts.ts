import { GetPromptLineagesDocument, GetPromptSnapshotDocument } from '../../generated/operations.js'
import { StepwellClient } from '../client.js'
import { promptFieldsOf } from '../prompts/prompt.js'
import type { PromptRolloutCopy } from '../prompts/rollout.js'
import { snapshotModule } from '../prompts/snapshot-module.js'
import { demandNone, noSuchCommand, readUsage, UsageError } from './usage.js'
import { writeOutput } from './write-out.js'

const HELP = `Usage: stepwell prompts pull [--out FILE]
       stepwell prompts labels NAME [--json]
       stepwell prompts label NAME --label LABEL --version NUMBER
       stepwell prompts unlabel NAME --label LABEL

pull writes the current prompts of the project, with their splits and labels, into a TypeScript module. It is a snapshot for times when
the service is unreachable, and has the types of the prompts' variables.

  --out  the file to write; - is the standard output. Default: src/prompts.ts

labels prints the labels of a prompt with their versions. label sets a label, or moves it to another version; callers that ask
for the label follow at once. unlabel removes it.

  --label    the label, such as production
  --version  the number of the version
  --json     a JSON object a line
`

const VERBS = ['pull', 'labels', 'label', 'unlabel'] as const

/** Writes a snapshot of the project's prompts, or lists and moves their labels. */
export const prompts = async (args: readonly string[]): Promise<number> => {
  const [first = '', ...rest] = args
  const verb = VERBS.find((one) => one === first)
  const names = ['out', 'label', 'version'] as const
  const usage = readUsage(verb === undefined ? args : rest, HELP, names, ['json'])
  if (usage === undefined) return 0
  if (verb === undefined) throw noSuchCommand(first, [...VERBS])
  if (verb === 'pull') demandNone('prompts pull', usage.command, '; --out names the file to write')
  const stepwell = new StepwellClient({ disabled: true })
  if (verb === 'pull') return pull(stepwell, usage.values.out)
  const { command: name, values, has } = usage
  if (name === '') throw new UsageError('expected the name of a prompt, got nothing')
  if (verb !== 'labels' && !values.label) throw new UsageError('--label: expected a label')
  const { api } = stepwell
  const label = values.label ?? ''
  const labels =
    verb === 'labels'
      ? await api.getPromptLabels(name)
      : verb === 'label'
        ? await api.setPromptLabel({ name, label, version: numberOf(values.version) })
        : await api.removePromptLabel({ name, label })
  if (labels === null) {
    process.stderr.write(`stepwell: there is no prompt ${JSON.stringify(name)}\n`)
    return 1
  }
  for (const one of labels)
    process.stdout.write(
      has('json') ? `${JSON.stringify(one)}\n` : `${one.name}  v${one.version}  ${one.movedAt}\n`,
    )
  return 0
}

const numberOf = (given: string | undefined): number => {
  const version = Number(given)
  if (given === undefined || !/^\d+$/.test(given) || !Number.isSafeInteger(version))
    throw new UsageError(
      `--version: expected the number of a version, got ${given === undefined ? 'nothing' : JSON.stringify(given)}`,
    )
  return version
}

const pull = async (stepwell: StepwellClient, out = 'src/prompts.ts'): Promise<number> => {
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
  const content = snapshotModule(Object.fromEntries(copies))
  writeOutput(out, content, `${copies.size} prompts written to ${out}\n`)
  return 0
}
