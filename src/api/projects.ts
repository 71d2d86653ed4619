import {
  type ApiKeyFieldsFragment,
  type ConversationEndFieldsFragment,
  CreateApiKeyDocument,
  type CreateApiKeyMutationVariables,
  DeleteModelEndpointDocument,
  GetApiKeysDocument,
  GetModelEndpointsDocument,
  GetProjectDocument,
  type GetProjectQuery,
  type ModelEndpointFieldsFragment,
  RevokeApiKeyDocument,
  SetConversationEndDocument,
  type SetConversationEndMutationVariables,
  SetModelEndpointDocument,
  type SetModelEndpointMutationVariables,
} from '../../generated/operations.js'
import type { KeyScope } from '../../generated/schema.js'
import { StepwellError } from '../errors.js'
import { camelKeys, type Snake, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { type IdParam, idOf } from './calls/raw.js'

/** The project that an API key opens. `storage` is null for keys without the scope `admin`. */
export type Project = GetProjectQuery['project']
/** A key of the project, without the key itself. */
export type ApiKey = ApiKeyFieldsFragment
/** A key that was made just now; `key` is shown here and never again. */
export interface CreatedApiKey {
  key: string
  apiKey: ApiKey
}

export interface CreateApiKeyParams extends CreateApiKeyMutationVariables {
  name: string
  /** At least one of `ingest`, `read`, `write` and `admin`. */
  scopes: KeyScope[]
  /** The timestamp of its end, ISO 8601. When omitted, it does not expire. */
  expiresAt?: string | null | undefined
}

/** The rule for the end of a conversation. */
export type ConversationEnd = ConversationEndFieldsFragment

export interface SetConversationEndParams extends SetConversationEndMutationVariables {
  /** Minutes without activity after which a thread ends. */
  idleMinutes?: number | null | undefined
  /** Tags of threads that have ended. */
  tags?: string[] | null | undefined
  /** Tools that end the thread in whose last turn one of them is called. */
  toolNames?: string[] | null | undefined
}

/** A model that prompts are tried with in the web UI; its key is in no answer. */
export type ModelEndpoint = ModelEndpointFieldsFragment

/** A model to try prompts with: a new one, or with an id changes to one. */
export type ModelEndpointDefinition = SetModelEndpointMutationVariables

export const projectsApi = ({ call, post }: Transport) => {
  const getProjectId = async (): Promise<string> => {
    const answer = await post('/api/my-project', {})
    if (
      typeof answer === 'object' &&
      answer !== null &&
      'projectId' in answer &&
      typeof answer.projectId === 'string'
    )
      return answer.projectId
    throw new StepwellError('expected `projectId` in the answer of the service', {
      code: 'NETWORK',
    })
  }
  const getProject = async (): Promise<Project> => (await call(GetProjectDocument, {})).project
  const getApiKeys = async (): Promise<ApiKey[]> => (await call(GetApiKeysDocument, {})).apiKeys
  const createApiKey = async (params: CreateApiKeyParams): Promise<CreatedApiKey> =>
    (await call(CreateApiKeyDocument, params)).createApiKey
  const setConversationEnd = async (
    params: SetConversationEndParams,
  ): Promise<ConversationEnd | null> => {
    return (await call(SetConversationEndDocument, params)).setConversationEnd
  }
  const getModelEndpoints = async (): Promise<ModelEndpoint[]> =>
    (await call(GetModelEndpointsDocument, {})).modelEndpoints
  const setModelEndpoint = async (params: ModelEndpointDefinition): Promise<ModelEndpoint> => {
    const data = await call(SetModelEndpointDocument, params)
    return data.setModelEndpoint as ModelEndpoint
  }
  const deleteModelEndpoint = async (id: string): Promise<string | null> =>
    (await call(DeleteModelEndpointDocument, { id })).deleteModelEndpoint?.id ?? null
  const revokeApiKey = async (id: string): Promise<string> =>
    (await call(RevokeApiKeyDocument, { id })).revokeApiKey.id

  return {
    /**
     * Gets the id of the project that the API key belongs to.
     *
     * @returns the id; a key always has a project.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope any
     * @example
     * const projectId = await stepwell.api.getProjectId()
     */
    getProjectId,
    /**
     * Gets the id of the project that the API key belongs to; `getProjectId` in the other spelling.
     *
     * @returns the id; a key always has a project.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope any
     * @example
     * const project_id = await stepwell.api.get_my_project_id()
     */
    get_my_project_id: getProjectId,

    /**
     * Gets the project that the API key belongs to, with the scopes of the key and the place of the service's data.
     *
     * @returns the project; a key always has one. `storage` is null for a key without the scope `admin`.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * const { name, scopes } = await stepwell.api.getProject()
     * console.log(name, scopes)
     */
    getProject,
    /**
     * Gets the project of the API key; `getProject` in the other spelling.
     *
     * @returns the project; a key always has one. `storage` is null for a key without the scope `admin`.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * const { name, scopes } = await stepwell.api.get_project()
     * console.log(name, scopes)
     */
    get_project: async (): Promise<Snake<Project>> => toSnake(await getProject(), 'Project'),

    /**
     * Sets the rule for the end of the project's conversations, for past threads too: `endedAt` of threads. Replaces
     * the previous rule. `getProject` reads it.
     *
     * @returns the rule; null when no part of it is given, so that no thread ends.
     * @throws `INVALID_ARGUMENT` when `idleMinutes` is not between 1 and 525,600, or when a name is empty, longer than
     * 200 characters, or one of more than 100.
     * @scope `write`
     * @example
     * await stepwell.api.setConversationEnd({ idleMinutes: 30, tags: ['resolved'], toolNames: ['end_call'] })
     */
    setConversationEnd,
    /**
     * Sets the rule for the end of the project's conversations; `setConversationEnd` in the other spelling.
     *
     * @returns the rule; null when no part of it is given, so that no thread ends.
     * @throws `INVALID_ARGUMENT` when `idle_minutes` is not between 1 and 525,600, or when a name is empty, longer than
     * 200 characters, or one of more than 100.
     * @scope `write`
     * @example
     * await stepwell.api.set_conversation_end({ idle_minutes: 30 })
     */
    set_conversation_end: async (
      params: Snake<SetConversationEndParams>,
    ): Promise<Snake<ConversationEnd> | null> =>
      toSnake(
        await setConversationEnd(camelKeys<SetConversationEndParams>(params)),
        'ConversationEnd',
      ),

    /**
     * Lists the models that prompts are tried with in the web UI.
     *
     * @returns the models, by name; an empty list when there are none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { name, hasKey } of await stepwell.api.getModelEndpoints()) console.log(name, hasKey)
     */
    getModelEndpoints,
    /**
     * Lists the models that prompts are tried with; `getModelEndpoints` in the other spelling.
     *
     * @returns the models, by name; an empty list when there are none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { name, has_key } of await stepwell.api.get_model_endpoints()) console.log(name, has_key)
     */
    get_model_endpoints: async (): Promise<Snake<ModelEndpoint>[]> =>
      (await getModelEndpoints()).map((one) => toSnake(one, 'ModelEndpoint')),

    /**
     * Adds a model that prompts are tried with in the web UI, or changes the one with the given id. A key that the
     * service keeps for it stays, unless the protocol or the base URL changes.
     *
     * @returns the model as it is stored now, without its key.
     * @throws `INVALID_ARGUMENT` when the name or the model is empty, or the base URL is not allowed.
     * @throws `NOT_FOUND` when nothing has the given id.
     * @scope `write`
     * @example
     * await stepwell.api.setModelEndpoint({
     *   name: 'GPT-4o',
     *   protocol: 'OPENAI',
     *   baseUrl: 'https://api.openai.com/v1',
     *   model: 'gpt-4o',
     * })
     */
    setModelEndpoint,
    /**
     * Adds or changes a model that prompts are tried with; `setModelEndpoint` in the other spelling.
     *
     * @returns the model as it is stored now, without its key.
     * @throws `INVALID_ARGUMENT` when the name or the model is empty, or the base URL is not allowed.
     * @throws `NOT_FOUND` when nothing has the given id.
     * @scope `write`
     * @example
     * await stepwell.api.set_model_endpoint({
     *   name: 'Claude',
     *   protocol: 'ANTHROPIC',
     *   base_url: 'https://api.anthropic.com',
     *   model: 'claude-opus-latest',
     * })
     */
    set_model_endpoint: async (
      params: Snake<ModelEndpointDefinition>,
    ): Promise<Snake<ModelEndpoint>> =>
      toSnake(await setModelEndpoint(camelKeys<ModelEndpointDefinition>(params)), 'ModelEndpoint'),

    /**
     * Deletes a model that prompts are tried with, and the key that the service keeps for it.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const endpoint = { name: 'ours', protocol: 'OPENAI', baseUrl: 'https://api.openai.com/v1', model: 'gpt-4o' } as const
     * const { id } = await stepwell.api.setModelEndpoint(endpoint)
     * await stepwell.api.deleteModelEndpoint(id)
     */
    deleteModelEndpoint,
    /**
     * Deletes a model that prompts are tried with; `deleteModelEndpoint` in the other spelling.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const endpoint = { name: 'ours', protocol: 'OPENAI', base_url: 'https://api.openai.com/v1', model: 'gpt-4o' } as const
     * const { id } = await stepwell.api.set_model_endpoint(endpoint)
     * await stepwell.api.delete_model_endpoint({ id })
     */
    delete_model_endpoint: (endpoint: IdParam): Promise<string | null> =>
      deleteModelEndpoint(idOf(endpoint)),

    /**
     * Lists the keys of the project, the revoked ones too, the oldest first. The keys themselves are not stored, and
     * not in the result.
     *
     * @returns the keys; at least the one of the call. `revokedAt` is null for a key that still works.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `admin`
     * @example
     * for (const { name, lastUsedAt } of await stepwell.api.getApiKeys()) console.log(name, lastUsedAt)
     */
    getApiKeys,
    /**
     * Lists the keys of the project; `getApiKeys` in the other spelling.
     *
     * @returns the keys; at least the one of the call. `revoked_at` is null for a key that still works.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `admin`
     * @example
     * for (const { name, last_used_at } of await stepwell.api.get_api_keys()) console.log(name, last_used_at)
     */
    get_api_keys: async (): Promise<Snake<ApiKey>[]> => toSnake(await getApiKeys(), 'ApiKey'),

    /**
     * Creates a key of the project. The service stores only a hash of it.
     *
     * @returns the key, which is shown here and never again, and the stored facts about it.
     * @throws `INVALID_ARGUMENT` when there is no name or scope, or when `expiresAt` is not in the future.
     * @scope `admin`
     * @example
     * const { key, apiKey } = await stepwell.api.createApiKey({ name: 'dashboard', scopes: ['read'] })
     * console.log(key, apiKey.id)
     */
    createApiKey,
    /**
     * Makes a key of the project; `createApiKey` in the other spelling.
     *
     * @returns the key, which is shown here and never again, and the stored facts about it.
     * @throws `INVALID_ARGUMENT` when there is no name or scope, or when `expires_at` is not in the future.
     * @scope `admin`
     * @example
     * const { key, api_key } = await stepwell.api.create_api_key({ name: 'dashboard', scopes: ['read'] })
     * console.log(key, api_key.id)
     */
    create_api_key: async (params: Snake<CreateApiKeyParams>): Promise<Snake<CreatedApiKey>> =>
      toSnake(await createApiKey(camelKeys<CreateApiKeyParams>(params)), 'CreatedApiKey'),

    /**
     * Revokes a key. All servers refuse it within seconds. It stays in the list of keys.
     *
     * @returns the id of the key.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @throws `NOT_FOUND` when no key has this id, or when the key is revoked already.
     * @scope `admin`
     * @example
     * await stepwell.api.revokeApiKey(apiKeyId)
     */
    revokeApiKey,
    /**
     * Ends a key; `revokeApiKey` in the other spelling.
     *
     * @returns the id of the key.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @throws `NOT_FOUND` when no key has this id, or when the key is revoked already.
     * @scope `admin`
     * @example
     * await stepwell.api.revoke_api_key(apiKeyId)
     */
    revoke_api_key: (key: IdParam): Promise<string> => revokeApiKey(idOf(key)),
  }
}
