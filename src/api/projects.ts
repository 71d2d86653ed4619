import {
  type ApiKeyFieldsFragment,
  CreateApiKeyDocument,
  type CreateApiKeyMutationVariables,
  GetApiKeysDocument,
  GetProjectDocument,
  type GetProjectQuery,
  RevokeApiKeyDocument,
} from '../../generated/operations.js'
import type { KeyScope } from '../../generated/schema.js'
import { StepwellError } from '../errors.js'
import { camelKeys, type Snake, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { variablesFor } from '../transport/variables.js'
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
  /** When it ends, ISO 8601; never by itself when absent. */
  expiresAt?: string | null | undefined
}

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
    (await call(CreateApiKeyDocument, variablesFor(CreateApiKeyDocument, params))).createApiKey
  const revokeApiKey = async (id: string): Promise<string> =>
    (await call(RevokeApiKeyDocument, { id })).revokeApiKey.id

  return {
    /** Gets the id of the project that the API key belongs to. */
    getProjectId,
    /** Gets the id of the project that the API key belongs to; `getProjectId` in the other spelling. */
    get_my_project_id: getProjectId,

    /** Gets the project that the API key belongs to, with the scopes of the key and the place of the service's data. */
    getProject,
    /** Gets the project of the API key; `getProject` in the other spelling. */
    get_project: async (): Promise<Snake<Project>> => toSnake(await getProject(), 'Project'),

    /** Lists the keys of the project, those that were revoked too, the oldest first. Needs the scope `admin`. */
    getApiKeys,
    /** Lists the keys of the project; `getApiKeys` in the other spelling. */
    get_api_keys: async (): Promise<Snake<ApiKey>[]> => toSnake(await getApiKeys(), 'ApiKey'),

    /** Makes a key of the project. Needs the scope `admin`. The key is in the result, and nowhere else from then on. */
    createApiKey,
    /** Makes a key of the project; `createApiKey` in the other spelling. */
    create_api_key: async (params: Snake<CreateApiKeyParams>): Promise<Snake<CreatedApiKey>> =>
      toSnake(await createApiKey(camelKeys<CreateApiKeyParams>(params)), 'CreatedApiKey'),

    /** Ends a key, everywhere within seconds. Resolves to its id; throws `NOT_FOUND` when no good key has it. */
    revokeApiKey,
    /** Ends a key; `revokeApiKey` in the other spelling. */
    revoke_api_key: (key: IdParam): Promise<string> => revokeApiKey(idOf(key)),
  }
}
