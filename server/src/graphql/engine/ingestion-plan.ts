import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  isNonNullType,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
  valueFromAST,
  visit,
} from 'graphql'
import type { SessionInput, StepInput, ThreadInput } from '../../../generated/resolvers.js'
import type { SentThread } from '../../domain/ingestion/thread-batch.js'
import type { SentStep, StepOutcome, Steps } from '../../domain/steps.js'
import type { Caller } from '../../kernel/caller.js'
import { DomainError, type Refusal } from '../../kernel/errors.js'
import type { Turn } from '../../kernel/sharing/turns.js'
import { coerce, invalidValue } from './coerce.js'

/** Steps, or threads, of one request. */
const MAX_ITEMS = 150_000
/** Steps that are read before other requests get a turn, and that are stored together. */
const READ_AT_ONCE = 32
const STORED_AT_ONCE = 2000

interface Planned {
  steps: SentStep[]
  /** The ids as they were sent, for the answer. */
  ids: (string | null)[]
  /** Neighbouring fields of the document share a batch: their steps are stored together. */
  batch: Batch
  /** The index of this field's first step in the batch. */
  offset: number
  /** The threads of the field; undefined when the document itself contains them. */
  threads?: SentThread[] | undefined
}

interface Batch {
  steps: SentStep[]
  outcomes: Promise<StepOutcome[]> | undefined
}

/**
 * The ingestion of a document, read before it is executed. GraphQL executes mutation fields one after another and
 * refuses a whole request for one wrong value; here neighbouring `ingestStep`s become one batch, and a step with a
 * wrong value is refused alone.
 */
export class IngestionPlan {
  readonly #steps: Steps
  readonly #caller: Caller
  readonly #turn: Turn
  readonly #planned = new Map<string | number, Planned>()

  constructor(steps: Steps, caller: Caller, turn: Turn) {
    this.#steps = steps
    this.#caller = caller
    this.#turn = turn
  }

  /** Reads the plan from a document. Returns the variables to execute it with, without those that were wrong. */
  async plan(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    variables: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    if (operation.operation !== 'mutation') return variables
    const fields = schema.getMutationType()?.getFields()
    const names = new Map(
      operation.variableDefinitions?.map((node) => [node.variable.name.value, node]),
    )
    const usable: Record<string, unknown> = Object.fromEntries(
      [...names.keys()]
        .filter((name) => Object.hasOwn(variables, name))
        .map((name) => [name, variables[name]]),
    )
    const shared = variablesOfOthers(operation)
    let batch: Batch | undefined
    let count = 0
    for (const node of operation.selectionSet.selections) {
      const name = node.kind === 'Field' ? node.name.value : ''
      const definition = fields?.[name]
      const isBatch = name === 'ingestSteps'
      // Directives may leave a field out, so fields with directives are executed by GraphQL.
      if (
        node.kind !== 'Field' ||
        !definition ||
        node.directives?.length ||
        !(isBatch || name === 'ingestStep')
      ) {
        batch = undefined
        continue
      }
      if (++count % READ_AT_ONCE === 0) await this.#turn()
      const read = (argument: GraphQLArgument) => argumentValue(node, argument, names, variables)
      if (batch === undefined || isBatch) batch = { steps: [], outcomes: undefined }
      const sent = isBatch
        ? await readBatch(definition.args, read, usable, this.#turn)
        : readStep(definition.args, read, usable, shared)
      if (sent === undefined) continue
      const key = node.alias?.value ?? name
      if (!this.#planned.has(key)) {
        this.#planned.set(key, { ...sent, batch, offset: batch.steps.length })
        // No spread: the number of arguments is limited, a batch may be larger.
        for (const step of sent.steps) batch.steps.push(step)
      }
      if (isBatch) batch = undefined
    }
    return usable
  }

  /** Resolves to the outcome of the `ingestStep` under a response key. */
  async one(key: string | number, step: StepInput): Promise<StepOutcome> {
    const planned = this.#planned.get(key)
    const [outcome] =
      planned === undefined
        ? await this.#steps.ingest(this.#caller, [step])
        : await this.#outcomes(planned)
    return outcome as StepOutcome
  }

  /** Returns the threads of the `ingestSteps` under a response key. */
  threads(key: string | number, given: readonly ThreadInput[]): readonly SentThread[] {
    return this.#planned.get(key)?.threads ?? given
  }

  /** Resolves to the ids and the outcomes of the steps of the `ingestSteps` under a response key. */
  async batch(
    key: string | number,
    steps: readonly StepInput[],
    session: SessionInput | null | undefined,
  ): Promise<{ ids: (string | null)[]; outcomes: StepOutcome[] }> {
    const planned = this.#planned.get(key)
    if (planned === undefined)
      return {
        ids: steps.map(({ id }) => id),
        outcomes: await this.#steps.ingest(this.#caller, steps, session),
      }
    return { ids: planned.ids, outcomes: await this.#outcomes(planned, session) }
  }

  async #outcomes(
    { batch, offset, steps }: Planned,
    session?: SessionInput | null,
  ): Promise<StepOutcome[]> {
    batch.outcomes ??= this.#store(batch.steps, session)
    return (await batch.outcomes).slice(offset, offset + steps.length)
  }

  /** In portions, as the work on each step before it is stored adds up. */
  async #store(
    steps: readonly SentStep[],
    session: SessionInput | null | undefined,
  ): Promise<StepOutcome[]> {
    await this.#turn()
    if (steps.length <= STORED_AT_ONCE) return this.#steps.ingest(this.#caller, steps, session)
    const outcomes: StepOutcome[] = []
    for (let from = 0; from < steps.length; from += STORED_AT_ONCE) {
      if (from > 0) await this.#turn()
      const portion = steps.slice(from, from + STORED_AT_ONCE)
      for (const outcome of await this.#steps.ingest(this.#caller, portion, session))
        outcomes.push(outcome)
    }
    return outcomes
  }
}

/** Returns the variables of fields other than the ingestion; GraphQL reports errors in these. */
const variablesOfOthers = (operation: OperationDefinitionNode): Set<string> => {
  const names = new Set<string>()
  for (const selection of operation.selectionSet.selections)
    if (!(selection.kind === 'Field' && /^ingestSteps?$/.test(selection.name.value)))
      visit(selection, { Variable: ({ name }) => void names.add(name.value) })
  return names
}

interface ReadArgument {
  given: boolean
  value: unknown
  variable: string | undefined
}

/** Returns the value of a field's argument. Reads the variables as they came, as several fields may share one. */
const argumentValue = (
  node: FieldNode,
  argument: GraphQLArgument,
  definitions: ReadonlyMap<string, VariableDefinitionNode>,
  variables: Record<string, unknown>,
): ReadArgument => {
  const absent = { given: false, value: undefined, variable: undefined }
  const value = node.arguments?.find(({ name }) => name.value === argument.name)?.value
  if (value === undefined) return absent
  if (value.kind !== 'Variable')
    return { ...absent, given: true, value: valueFromAST(value, argument.type, variables) }
  const variable = value.name.value
  if (variables[variable] !== undefined)
    return { given: true, value: variables[variable], variable }
  const byDefault = definitions.get(variable)?.defaultValue
  if (byDefault === undefined) return { ...absent, variable }
  return { ...absent, given: true, value: valueFromAST(byDefault, argument.type) }
}

const readStep = (
  args: readonly GraphQLArgument[],
  read: (argument: GraphQLArgument) => ReadArgument,
  usable: Record<string, unknown>,
  shared: ReadonlySet<string>,
): { steps: SentStep[]; ids: (string | null)[] } => {
  const step: Record<string, unknown> = {}
  let refused: Refusal | undefined
  for (const argument of args) {
    const { given, value, variable } = read(argument)
    if (!given && !isNonNullType(argument.type)) continue
    if (variable === undefined) {
      if (value === undefined)
        refused ??= invalidValue(`${argument.name}: expected a value of type ${argument.type}`)
      step[argument.name] = value
      continue
    }
    const coerced = coerce(argument.name, value, argument.type)
    if ('value' in coerced) {
      step[argument.name] = coerced.value
      continue
    }
    // GraphQL would refuse the whole request for this value.
    if (!shared.has(variable)) {
      if (isNonNullType(argument.type)) usable[variable] = ''
      else delete usable[variable]
    }
    // Old span exporters send tags that are not a list, and applications lists with null in them; the step matters more.
    if (argument.name !== 'tags') refused ??= coerced.refused
    else if (Array.isArray(value)) step.tags = value.filter((tag) => typeof tag === 'string')
  }
  return {
    steps: [refused === undefined ? (step as unknown as StepInput) : { refused }],
    ids: [idOf(step)],
  }
}

const readBatch = async (
  args: readonly GraphQLArgument[],
  read: (argument: GraphQLArgument) => ReadArgument,
  usable: Record<string, unknown>,
  turn: Turn,
): Promise<
  { steps: SentStep[]; ids: (string | null)[]; threads: SentThread[] | undefined } | undefined
> => {
  const list = async <Item>(name: string) => {
    const argument = args.find((one) => one.name === name)
    if (argument === undefined) return undefined
    const { value, variable } = read(argument)
    if (!Array.isArray(value) || variable === undefined) return undefined
    if (value.length > MAX_ITEMS)
      throw new DomainError(
        'TOO_LARGE',
        `${name}: expected at most ${MAX_ITEMS} in one request, got ${value.length}`,
      )
    const type = elementType(argument.type)
    usable[variable] = []
    const items: (Item | { refused: Refusal })[] = []
    for (const item of value) {
      if (items.length > 0 && items.length % READ_AT_ONCE === 0) await turn()
      const coerced = coerce('', item, type)
      items.push('value' in coerced ? (coerced.value as Item) : coerced)
    }
    return { value, items }
  }
  const steps = await list<StepInput>('steps')
  // Leaves the field to GraphQL, and its threads too: reading them removes them from the variables.
  if (steps === undefined) return undefined
  const threads = await list<ThreadInput>('threads')
  return { ids: steps.value.map(idOf), steps: steps.items, threads: threads?.items }
}

/** Returns `StepInput!` for `[StepInput!]!`. */
const elementType = (type: GraphQLInputType): GraphQLInputType => {
  let inner: unknown = type
  while (typeof inner === 'object' && inner !== null && 'ofType' in inner) {
    const next = inner.ofType
    if (typeof next === 'object' && next !== null && 'ofType' in next) inner = next
    else break
  }
  return inner as GraphQLInputType
}

const idOf = (step: unknown): string | null => {
  const id = typeof step === 'object' && step !== null && 'id' in step ? step.id : undefined
  return typeof id === 'string' ? id : null
}
