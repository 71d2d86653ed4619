import { inSnakeCase } from '../../spelling.js'
import { refuseUnwritable } from '../../values/unwritable.js'
import { refuse, wrong } from './wrong.js'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The positional parameters of camelCase forms: `name` is a text, `name?` may be empty, `name[]` is a list, `name{}` an
 * object, `name{list}` an object with a list.
 */
const POSITIONS: Readonly<Record<string, string>> = {
  getStep: 'id',
  deleteStep: 'id',
  sendSteps: 'steps[]',
  updateStep: 'params{}',
  getStepsById: 'ids[]',
  getOutline: 'subject{}',
  findInOutline: 'search{}',
  createGeneration: 'generation{}',
  createAttachment: 'params{}',
  uploadFile: 'params{}',
  updateAttachment: 'params{}',
  getThread: 'id',
  deleteThread: 'id',
  updateThread: 'params{}',
  getSession: 'id',
  getThreadSessions: 'id',
  getUser: 'identifier',
  createUser: 'identifier',
  getOrCreateUser: 'identifier',
  updateUser: 'id',
  deleteUser: 'id',
  deleteUserData: 'identifier',
  createScore: 'score{}',
  createScores: 'scores[]',
  updateScore: 'id update{}',
  deleteScore: 'id',
  setScoreDefinition: 'definition{}',
  deleteScoreDefinition: 'name',
  createDataset: 'params{}',
  updateDataset: 'id update{}',
  deleteDataset: 'id',
  createDatasetItem: 'datasetId item{}',
  getDatasetItem: 'id',
  updateDatasetItem: 'id update{}',
  deleteDatasetItem: 'id',
  addStepToDataset: 'datasetId stepId',
  addThreadToDataset: 'datasetId threadId',
  addGenerationToDataset: 'datasetId generationId',
  addGenerationsToDataset: 'datasetId generationIds[]',
  createExperiment: 'params{}',
  createExperimentItem: 'item{}',
  leaseExperimentItems: 'params{items}',
  retryExperimentItems: 'params{}',
  setPrices: 'prices[]',
  deletePrice: 'id',
  createExperimentItems: 'params{items}',
  leaseJudgements: 'params{}',
  createJudgements: 'params{judgements}',
  getJudgementPairs: 'params{}',
  deleteExperiment: 'id',
  // The contract: null when a lineage cannot be created.
  createPromptLineage: 'name?',
  getOrCreatePrompt: 'name templateMessages[]',
  createPrompt: 'name templateMessages[]',
  createPromptVariant: 'name templateMessages[]',
  getPrompt: 'name',
  getPromptById: 'id',
  getPromptAbTesting: 'name',
  getPromptUse: 'name',
  getPromptLabels: 'name',
  setPromptLabel: 'params{}',
  removePromptLabel: 'params{}',
  updatePromptAbTesting: 'name rollouts[]',
  getPromptWithQuery: 'query',
  getMetrics: 'params{}',
  getFacets: 'params{}',
  setConversationEnd: 'params{}',
  setModelEndpoint: 'params{}',
  deleteModelEndpoint: 'id',
  createApiKey: 'params{}',
  revokeApiKey: 'id',
  previewRetention: 'params{rules}',
  setRetention: 'params{rules}',
  createView: 'params{}',
  updateView: 'id update{}',
  deleteView: 'id',
  getAlertEvents: 'params{}',
  createAlert: 'params{}',
  updateAlert: 'id update{}',
  deleteAlert: 'id',
  testAlert: 'id',
  rotateAlertSecret: 'id',
}

/** Methods that take an id, bare or in an object. */
const BY_ID =
  /^((get|delete)_(step|thread|session|thread_sessions|dataset_item|prompt_by_id|attachment)|delete_(user|score|dataset|experiment|model_endpoint|price|view|alert)|revoke_api_key|test_alert|rotate_alert_secret|(get|delete)Attachment)$/
/** Methods without parameters. */
const NONE =
  /^get_(my_project_id|project|api_keys|datasets|judges|score_definitions|prompt_lineages|model_endpoints|retention|price_book|prices|repricing|alerts)$/
/** Methods that may be called without arguments. */
const OPTIONAL = /^(create_?[sS]tep|create_?[tT]hread|get_?[dD]ataset|get_?[vV]iews)$/

/** Texts of files, which are sent by no document that would tell their type. */
const FILE_TEXT = /^(id|name|mime|(step|thread)_?[iI]d)$/

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const TEXT = 'a non-empty string'

/** Fields, in either spelling, for which a snake_case form takes a list. */
const LISTS = [
  'ids',
  'generation_ids',
  'items',
  'judgements',
  'prices',
  'rollouts',
  'rules',
  'template_messages',
]
/** Lists that are required, by a pattern for the method's name. */
const REQUIRED: Readonly<Record<string, string>> = {
  get_steps_by_id: 'ids',
  add_generations_to_dataset: 'generation_ids',
  update_prompt_ab_testing: 'rollouts',
  get_or_create_prompt: 'template_messages',
  create_prompt: 'template_messages',
  create_prompt_variant: 'template_messages',
  lease_experiment_items: 'items',
  create_experiment_items: 'items',
  create_judgements: 'judgements',
  set_prices: 'prices',
  preview_retention: 'rules',
  set_retention: 'rules',
}
/** Texts that a snake_case form requires. */
const TEXTS: Readonly<Record<string, string>> = {
  get_or_create_user: 'identifier',
  create_user: 'identifier',
  delete_user_data: 'identifier',
  get_prompt_ab_testing: 'name',
  get_prompt_use: 'name',
  get_prompt_labels: 'name',
  set_prompt_label: 'name',
  remove_prompt_label: 'name',
  get_prompt_with_query: 'query',
  delete_score_definition: 'name',
  get_or_create_prompt: 'name',
  create_prompt: 'name',
  create_prompt_variant: 'name',
  update_prompt_ab_testing: 'name',
  get_or_create_prompt_lineage: 'name?',
  create_prompt_lineage: 'name?',
}

/** Rejects list items that are not objects, and scores without a value: one that is not finite would be null as JSON. */
const checkItems = (name: string, items: unknown): void => {
  if (!Array.isArray(items)) return
  for (const [index, item] of items.entries()) {
    const place = `${name}[${index}]`
    if (name === 'ids' || /generation_?[iI]ds/.test(name)) {
      if (typeof item !== 'string') refuse(place, 'a string', item)
    } else if (!isObject(item)) refuse(place, 'an object', item)
    else if (name === 'scores') checkScore(`${place}.`, item)
    else if (name === 'prices') checkPrice(place, item)
    else if (name === 'items' || name === 'judgements') checkScores(`${place}.`, item.scores)
  }
}

/** Rejects scores that are no list, unless they are left out, and scores without a value. */
const checkScores = (place: string, scores: unknown): void => {
  const list = scores ?? []
  if (Array.isArray(list))
    for (const [at, score] of list.entries()) checkScore(`${place}scores[${at}].`, score)
  else refuse(`${place}scores`, 'a list', scores)
}

const checkScore = (place: string, { name, value, label, type }: Record<string, unknown>): void => {
  if (!isText(name)) refuse(`${place}name`, TEXT, name)
  if (typeof value === 'number' && !Number.isFinite(value))
    refuse(`${place}value`, 'a finite number', value)
  const isNamed = (value === undefined || value === null) && isText(label)
  if (!(isNamed || typeof value === 'number' || typeof value === 'boolean' || isText(value)))
    refuse(`${place}value`, 'a number, true or false, or a label', value)
  if (typeof type !== 'string') refuse(`${place}type`, 'AI, CODE or HUMAN', type)
}

/** Rejects dollars that would be null as JSON, by which a model would lose its price. */
const checkPrice = (place: string, { rates, tiers }: Record<string, unknown>): void => {
  const checkRates = (name: string, given: unknown) => {
    for (const [part, dollars] of Object.entries(isObject(given) ? given : {}))
      if (typeof dollars === 'number' && !Number.isFinite(dollars))
        refuse(`${name}.${part}`, 'a finite number', dollars)
  }
  checkRates(`${place}.rates`, rates)
  for (const [at, tier] of Array.isArray(tiers) ? tiers.entries() : [])
    checkRates(`${place}.tiers[${at}].rates`, isObject(tier) ? tier.rates : undefined)
}

/** Rejects a new value of a score that would be null as JSON. */
const checkNewValue = (update: unknown): void => {
  if (!isObject(update)) return
  const { value } = isObject(update.update_params) ? update.update_params : update
  if (typeof value === 'number' && !Number.isFinite(value))
    refuse('value', 'a finite number', value)
}

const checkPosition = (spec: string, value: unknown): void => {
  const [name = ''] = /^\w+/.exec(spec) ?? []
  if (spec.endsWith('[]')) {
    if (!Array.isArray(value)) refuse(name, 'a list', value)
    checkItems(name, value)
  } else if (spec.endsWith('}')) {
    if (!isObject(value)) refuse(name, 'an object', value)
    else if (name === 'score') checkScore('', value)
    else {
      checkItems('scores', value.scores)
      const [, list] = /\{(\w+)\}/.exec(spec) ?? []
      if (list !== undefined) checkPosition(`${list}[]`, value[list])
    }
  } else if (!isText(value) && !(spec.endsWith('?') && value === '')) refuse(name, TEXT, value)
}

const checkSnake = (method: string, value: unknown): void => {
  if (method === 'send_steps' || method === 'create_scores') {
    const name = method === 'send_steps' ? 'steps' : 'scores'
    const isWrapped = isObject(value) && name in value
    const given = isWrapped ? value[name] : value
    if (!Array.isArray(given) && (name === 'scores' || !isObject(given)))
      refuse(name, name === 'steps' ? 'a step or a list of steps' : 'a list', given)
    checkItems(name, Array.isArray(given) ? given : [given])
    return
  }
  if (method === 'get_prompt_ab_testing' && isText(value)) return
  if (!isObject(value)) throw wrong('parameters', 'an object', value)
  const text = TEXTS[method]
  if (text !== undefined) checkPosition(text, value[text.replace('?', '')])
  const required = REQUIRED[method]
  for (const name of LISTS)
    if (name in value || name === required) {
      if (!Array.isArray(value[name])) refuse(name, 'a list', value[name])
      checkItems(name, value[name])
    }
  if (method === 'create_score') checkScore('', value)
  else checkItems('scores', value.scores)
}

/** @internal Rejects invalid arguments of a method, with an error that names one and what was expected. */
export const checkArguments = (method: string, given: readonly unknown[]): void => {
  const [first] = given
  const names = POSITIONS[method]?.split(' ') ?? []
  for (const [index, value] of given.entries())
    refuseUnwritable(
      names[index]?.endsWith('[]') ? (names[index] as string).slice(0, -2) : '',
      value,
    )
  if (BY_ID.test(method)) {
    if (!isText(isObject(first) ? first.id : first))
      refuse('id', `${TEXT}, bare or as { id }`, isObject(first) ? first.id : first)
    return
  }
  if (OPTIONAL.test(method) && first === undefined) return
  if (/^upsert_?[tT]hread$/.test(method)) {
    const isSnake = method.includes('_')
    const name = isSnake ? 'thread_id' : 'threadId'
    const id = isObject(first)
      ? ((isSnake ? first.id : undefined) ?? first[name])
      : isSnake
        ? undefined
        : first
    if (!isText(id)) refuse(name, TEXT, id)
    return
  }
  if (/^update_?[sS]core$/.test(method)) checkNewValue(method.includes('_') ? first : given[1])
  const specs = POSITIONS[method]?.split(' ')
  if (specs !== undefined)
    for (const [index, spec] of specs.entries()) checkPosition(spec, given[index])
  else if (OPTIONAL.test(method)) {
    if (!isObject(first)) refuse('params', 'an object', first)
  } else if (method.includes('_') && !NONE.test(method)) checkSnake(method, first)
  if (!isObject(first)) return
  if (/^create_?[eE]xperiment_?[iI]tem$/.test(method)) checkScores('', first.scores)
  if (/^(create_?[aA]ttachment|upload_?[fF]ile)$/.test(method))
    for (const [name, value] of Object.entries(first))
      if (FILE_TEXT.test(name) && value != null && typeof value !== 'string')
        refuse(name, 'a string', value)
}

// biome-ignore lint/suspicious/noExplicitAny: any method
type Method = (...parameters: any[]) => Promise<unknown>

/** @internal Makes a method check its arguments first. A failure is a rejected promise. */
export const checked =
  (name: string, method: Method): Method =>
  async (...parameters) => {
    checkArguments(name, parameters)
    try {
      return await method(...parameters)
    } catch (error) {
      throw name.includes('_') ? inSnakeCase(error) : error
    }
  }
