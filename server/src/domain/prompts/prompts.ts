import { randomUUID } from 'node:crypto'
import type {
  MutationCreatePromptExperimentArgs,
  MutationCreatePromptVersionArgs,
  QueryPromptVersionArgs,
} from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { invalid, notFound, show } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import { Turn } from '../../kernel/sharing/turn.js'
import {
  findLineageByName,
  findLineages,
  findVersion,
  findVersionIds,
  findVersions,
  findVersionsByNumber,
  insertLineage,
  insertVariant,
  insertVersion,
  type LineageRow,
  listLineages,
  lockLineage,
  type PromptVariantRow,
  type PromptVersionRow,
  type Rollout,
  type Segment,
  updateRollouts,
} from '../../storage/prompts.js'
import { summarizeUse } from '../../storage/scores/summaries.js'
import { noteFor } from '../audit/entry.js'
import { isObject, type Values } from '../values.js'
import { versionWith } from './labels.js'
import { draw, resplit, rolloutsOf, segmentsOf, splitProblem } from './rollouts.js'
import {
  parseTemplate,
  parseVariables,
  refuseBroken,
  samePrompt,
  variablesOf,
} from './templates.js'

/** The newest generations of a version, which its use is computed from. */
const MAX_GENERATIONS = 10_000
/** Versions that are read together to compare them with a given one. */
const COMPARED_AT_ONCE = 10
/** Larger than any version number. */
const MAX_VERSION = 2 ** 31 - 1

export class Prompts {
  readonly #db: Database
  readonly #values: Values
  readonly #clock: Clock

  constructor(db: Database, values: Values, clock: Clock) {
    this.#db = db
    this.#values = values
    this.#clock = clock
  }

  /** Returns the lineage of that name, unchanged if it exists; creates it otherwise. */
  async createLineage(
    caller: Caller,
    { name, description }: { name: string; description?: string | null | undefined },
  ): Promise<LineageRow> {
    const lineage = {
      id: randomUUID(),
      name: this.#values.requiredText('name', name),
      description: this.#values.text('description', description) ?? null,
      createdAt: this.#clock(),
    }
    await this.#db.transaction().execute(async (transaction) => {
      if (await insertLineage(transaction, caller.projectId, lineage))
        await noteFor(transaction, caller, {
          action: 'CREATE_PROMPT',
          on: 'PROMPT',
          id: lineage.id,
          name,
        })
    })
    return (await this.findLineage(caller, name)) as LineageRow
  }

  async findLineage(caller: Caller, name: string): Promise<LineageRow | null> {
    return (await findLineageByName(this.#db, caller.projectId, name)) ?? null
  }

  lineages(caller: Caller, ids: readonly string[]): Promise<LineageRow[]> {
    return findLineages(this.#db, caller.projectId, ids)
  }

  /** Returns the newest version that equals the given prompt, or a new one. */
  async createVersion(
    caller: Caller,
    given: MutationCreatePromptVersionArgs,
  ): Promise<PromptVersionRow> {
    const values = this.#values
    const templateMessages = parseTemplate(
      'templateMessages',
      values.list('templateMessages', given.templateMessages, 'metadataBytes'),
    )
    const listed = values.list('variables', given.variables)
    const variables = listed ? parseVariables(listed) : variablesOf(templateMessages)
    const content = {
      templateMessages,
      tools: values.list('tools', listOf(given.tools)) ?? null,
      settings: values.object('settings', given.settings) ?? null,
      variables,
      variablesDefaultValues:
        values.object('variablesDefaultValues', given.variablesDefaultValues) ?? {},
      versionDesc: values.text('versionDesc', given.versionDesc) ?? null,
    }
    return this.#db.transaction().execute(async (transaction) => {
      const name = await lockLineage(transaction, caller.projectId, given.lineageId)
      if (name === undefined) throw notFound('prompt lineage', given.lineageId)
      const turn = new Turn()
      let newest: number | undefined
      for await (const stored of this.#newestFirst(transaction, caller, given.lineageId)) {
        newest ??= stored.version
        if (turn.isOver()) await turn.next()
        if (samePrompt(stored, content)) return stored
      }
      // Only now: a program that carries a version from before such texts were refused still gets that version.
      refuseBroken('templateMessages', templateMessages)
      const version = {
        ...content,
        id: randomUUID(),
        lineageId: given.lineageId,
        version: (newest ?? -1) + 1,
        createdAt: this.#clock(),
      }
      await insertVersion(transaction, caller.projectId, version)
      await noteFor(transaction, caller, {
        action: 'CREATE_PROMPT_VERSION',
        on: 'PROMPT',
        id: given.lineageId,
        name,
        details: { version: version.version },
      })
      return version
    })
  }

  /** Reads in portions: the wanted version is mostly the newest, and all together may exceed the limit of an answer. */
  async *#newestFirst(
    db: Database,
    { projectId }: Caller,
    lineageId: string,
  ): AsyncGenerator<PromptVersionRow> {
    for (let before = MAX_VERSION; ; ) {
      const portion = { before, count: COMPARED_AT_ONCE }
      const versions = await findVersions(db, projectId, lineageId, portion)
      yield* versions
      const last = versions.at(-1)
      if (last === undefined || versions.length < COMPARED_AT_ONCE) return
      before = last.version
    }
  }

  /** All versions of a prompt, the newest first. */
  versions({ projectId }: Caller, lineageId: string): Promise<PromptVersionRow[]> {
    return findVersions(this.#db, projectId, lineageId)
  }

  /** Returns the use of a version: figures of its newest generations. */
  use({ projectId }: Caller, id: string, since: string | null | undefined) {
    return summarizeUse(this.#db, projectId, id, since ?? null, MAX_GENERATIONS)
  }

  /** A version by its id, by name and number or label, or drawn from a name's split. */
  async findVersion(
    caller: Caller,
    { id, name, version, label }: Partial<QueryPromptVersionArgs>,
  ): Promise<PromptVersionRow | null> {
    if (id) return (await findVersion(this.#db, caller.projectId, id)) ?? null
    if (id === '' || name === '') return null
    if (!name) throw invalid('id, name: expected one of them, got neither')
    const lineage = await this.findLineage(caller, name)
    if (lineage === null) return null
    const labelled = versionWith(lineage, label, version)
    const wanted = labelled ?? version ?? draw(segmentsOf(lineage))
    return (await this.#versions(caller, lineage, [wanted]))[0] ?? null
  }

  /** Returns the ids of versions by name and number. */
  async versionIds(
    { projectId }: Caller,
    named: readonly { name: string; version: number }[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<number, string>>> {
    const found = new Map<string, Map<number, string>>()
    for (const { name, version, id } of await findVersionIds(this.#db, projectId, named)) {
      const versions = found.get(name) ?? new Map<number, string>()
      found.set(name, versions.set(version, id))
    }
    return found
  }

  /** Creates a prompt for experiments, which is a version of no lineage. */
  async createVariant(
    caller: Caller,
    given: MutationCreatePromptExperimentArgs,
  ): Promise<PromptVariantRow> {
    const values = this.#values
    const templateMessages = parseTemplate(
      'templateMessages',
      values.list('templateMessages', given.templateMessages, 'metadataBytes'),
    )
    refuseBroken('templateMessages', templateMessages)
    const fromLineageId = values.id('fromLineageId', given.fromLineageId) ?? null
    if (fromLineageId !== null && (await this.lineages(caller, [fromLineageId])).length === 0)
      throw notFound('prompt lineage', fromLineageId)
    const variant = {
      id: randomUUID(),
      fromLineageId,
      fromVersion: given.fromVersion ?? null,
      scoreTemplateId: values.id('scoreTemplateId', given.scoreTemplateId) ?? null,
      templateMessages,
      tools: values.list('tools', listOf(given.tools)) ?? null,
      settings: values.object('settings', given.settings) ?? null,
      variables: values.list('variables', given.variables) ?? variablesOf(templateMessages),
      createdAt: this.#clock(),
    }
    await insertVariant(this.#db, caller.projectId, variant)
    return variant
  }

  /** Returns the split of a prompt's calls; empty when there is no such prompt. */
  async rollouts(caller: Caller, name: string): Promise<Rollout[]> {
    const lineage = await this.findLineage(caller, name)
    return lineage === null ? [] : rolloutsOf(lineage)
  }

  /** Lists all prompts, by name. */
  allLineages(caller: Caller): Promise<LineageRow[]> {
    return listLineages(this.#db, caller.projectId)
  }

  /** Returns the data needed to draw versions of a prompt; null when there is no such prompt. */
  async rollout(caller: Caller, name: string): Promise<PromptRolloutRow | null> {
    const lineage = await this.findLineage(caller, name)
    if (lineage === null) return null
    const segments = segmentsOf(lineage)
    const numbers = [...new Set(segments.map(({ version }) => version))]
    return { lineage, segments, versions: await this.#versions(caller, lineage, numbers) }
  }

  /** Returns the versions that have a label but no segment, by number. */
  labelledVersions(
    caller: Caller,
    { lineage, segments }: PromptRolloutRow,
  ): Promise<PromptVersionRow[]> {
    const drawn = new Set(segments.map(({ version }) => version))
    const others = (lineage.labels ?? []).filter(({ version }) => !drawn.has(version))
    return this.#versions(caller, lineage, [...new Set(others.map(({ version }) => version))])
  }

  #versions(
    caller: Caller,
    lineage: LineageRow,
    versions: readonly number[],
  ): Promise<PromptVersionRow[]> {
    return findVersionsByNumber(this.#db, caller.projectId, lineage.id, versions)
  }

  /** Returns null once the split is stored, or the reason against it. */
  async split(
    caller: Caller,
    name: string,
    rollouts: readonly Rollout[],
  ): Promise<{ errorCode: string; message: string } | null> {
    const lineage = await this.findLineage(caller, name)
    if (lineage === null)
      return {
        errorCode: 'UNKNOWN_LINEAGE',
        message: `name: no prompt is called ${show(name)}`,
      }
    return this.#split(caller, lineage, rollouts)
  }

  /** Sends all calls of a prompt to one version. */
  async promote(caller: Caller, lineageId: string, version: number): Promise<LineageRow> {
    const [lineage] = await this.lineages(caller, [lineageId])
    if (lineage === undefined) throw notFound('prompt lineage', lineageId)
    const problem = await this.#split(caller, lineage, [{ version, rollout: 100 }])
    if (problem !== null) throw invalid(`version: the prompt has no version ${version}`)
    return (await this.lineages(caller, [lineageId]))[0] ?? lineage
  }

  /** Returns the id of the version that gets most calls, the lowest of several; null when there is no such version. */
  async champion(caller: Caller, lineage: LineageRow): Promise<string | null> {
    const [most] = rolloutsOf(lineage).toSorted(
      (a, b) => b.rollout - a.rollout || a.version - b.version,
    )
    if (most === undefined) return null
    return (await this.#versions(caller, lineage, [most.version]))[0]?.id ?? null
  }

  #split(caller: Caller, lineage: LineageRow, rollouts: readonly Rollout[]) {
    return this.#db.transaction().execute(async (transaction) => {
      // A split at the same time continues from this one.
      await lockLineage(transaction, caller.projectId, lineage.id)
      const [current = lineage] = await findLineages(transaction, caller.projectId, [lineage.id])
      const versions = await findVersions(transaction, caller.projectId, lineage.id)
      const problem = splitProblem(rollouts, new Set(versions.map(({ version }) => version)))
      if (problem !== null) return problem
      const sorted = rollouts
        .map(({ version, rollout }) => ({ version, rollout }))
        .sort((a, b) => a.version - b.version)
      const segments = resplit(segmentsOf(current), sorted)
      await updateRollouts(transaction, caller.projectId, lineage.id, sorted, segments)
      await noteFor(transaction, caller, {
        action: 'SET_PROMPT_ROLLOUT',
        on: 'PROMPT',
        id: lineage.id,
        name: lineage.name,
        details: { percent: sorted.map(({ version, rollout }) => `${version}: ${rollout}`) },
      })
      return null
    })
  }
}

/** A prompt with all data needed to draw its versions. */
export interface PromptRolloutRow {
  lineage: LineageRow
  segments: Segment[]
  versions: PromptVersionRow[]
}

/** The contract has tools as an object in one form and as a list in the other. */
const listOf = (tools: unknown): unknown => (isObject(tools) ? [tools] : tools)
