import type { ParticipantsColumn } from '../../generated/filters.js'
import {
  CreateUserDocument,
  type CreateUserMutationVariables,
  DeleteUserDataDocument,
  type DeleteUserDataMutation,
  DeleteUserDocument,
  GetUserDocument,
  GetUsersDocument,
  UpdateUserDocument,
  type UpdateUserMutationVariables,
  type UserFieldsFragment,
} from '../../generated/operations.js'
import type { DeletedParticipantData, Participant } from '../../generated/schema.js'
import { invalidArgument, StepwellError } from '../errors.js'
import type { OrderBy, UsersFilter } from '../lists/filters.js'
import { createList, createSnakeList, type PageParams, toPage } from '../lists/pagination.js'
import { camelKeys, type Snake, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { variablesFor } from '../transport/variables.js'
import { nullWhenMissing } from './calls/deleted.js'
import { type IdParam, idOf } from './calls/raw.js'

/** A user as the service returns it. On the wire users are called participants. */
export type User = Pick<Participant, keyof UserFieldsFragment>

type Metadata = Record<string, unknown> | null | undefined

export interface CreateUserParams extends CreateUserMutationVariables {
  metadata?: Metadata
}

export interface UserUpdate extends UpdateUserMutationVariables {
  metadata?: Metadata
}

export interface GetUsersParams extends PageParams {
  /** Conditions that must all hold. When omitted, all users pass. */
  filters?: UsersFilter[] | undefined
  /** Conditions as text, such as `user~example.org`, which must hold beside `filters`. */
  query?: string | undefined
  /**
   * The order of the list. Default: the newest first. With `filters` or a `query`, at most 100,000
   * users are ordered by sums over threads, such as `cost`.
   */
  orderBy?: OrderBy<ParticipantsColumn> | undefined
}

export interface DeleteUserDataOptions {
  /**
   * `false` keeps dataset items that were made of the person's steps, and the results of experiments on these. Default:
   * true.
   */
  copies?: boolean | null | undefined
  /** `true` counts, and deletes nothing. Default: false. */
  dryRun?: boolean | null | undefined
}

export interface DeleteUserDataParams extends DeleteUserDataOptions {
  /** The name by which the application knows the user. */
  identifier: string
}

/** Numbers of rows that were deleted, or would be, by kind. */
export type DeletedUserData = Pick<
  DeletedParticipantData,
  keyof DeleteUserDataMutation['deleteParticipantData']
>

/** Refuses options that are none: a misspelt `dryRun` would delete. */
const refuseUnknown = (options: unknown, variables: object): void => {
  if (options === undefined || options === null) return
  if (typeof options !== 'object') throw invalidArgument('options: expected an object')
  const unknown = Object.keys(options).find((name) => !(name in variables))
  if (unknown !== undefined)
    throw invalidArgument(`options: expected dryRun and copies, got ${unknown}`)
}

export const usersApi = ({ call }: Transport) => {
  const getUsers = createList(async (params: GetUsersParams) =>
    toPage<User>((await call(GetUsersDocument, params)).participants),
  )
  const find = async (by: { id: string } | { identifier: string }): Promise<User | undefined> =>
    (await call(GetUserDocument, by)).participant ?? undefined
  const create = async (user: CreateUserParams): Promise<User> =>
    (await call(CreateUserDocument, user)).createParticipant as User
  const update = async ({ identifier, ...changes }: UserUpdate): Promise<User> => {
    const given = { ...changes, identifier: identifier ?? undefined }
    return (await call(UpdateUserDocument, given)).updateParticipant as User
  }
  const deleteUser = (id: string): Promise<string | null> =>
    call(DeleteUserDocument, { id }).then(
      ({ deleteParticipant }) => deleteParticipant?.id ?? null,
      nullWhenMissing,
    )

  const deleteUserData = async (
    identifier: string,
    options?: DeleteUserDataOptions | null,
  ): Promise<DeletedUserData> => {
    const variables = variablesFor(DeleteUserDataDocument, { ...options, identifier })
    refuseUnknown(options, variables)
    const once = async (): Promise<DeletedUserData> =>
      (await call(DeleteUserDataDocument, variables)).deleteParticipantData
    let deleted = await once()
    // Each call deletes for some seconds, or fails.
    while (!deleted.isComplete && !options?.dryRun) deleted = sumOf(deleted, await once())
    return deleted
  }

  const getOrCreate = async (user: CreateUserParams): Promise<User> => {
    const { identifier } = user
    const known = await find({ identifier })
    if (known !== undefined) return known
    try {
      return await create(user)
    } catch (error) {
      // Another caller created the user between the two requests.
      const created =
        StepwellError.is(error) && error.code === 'CONFLICT'
          ? await find({ identifier })
          : undefined
      if (created === undefined) throw error
      return created
    }
  }

  return {
    /**
     * Lists users, the newest first. `getUsers.all()` walks over all of them.
     *
     * @returns a page; an empty one when no user passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.getUsers({ first: 20 })
     * console.log(data.map(({ identifier }) => identifier))
     */
    getUsers,
    /**
     * Lists users; `getUsers` in the other spelling.
     *
     * @returns a page; an empty one when no user passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.get_users({ first: 20 })
     * console.log(data.map(({ last_engaged }) => last_engaged))
     */
    get_users: createSnakeList(getUsers, 'Participant'),

    /**
     * Gets the user with this identifier. `get_user` takes an id too.
     *
     * @returns the user; undefined when nobody has this identifier.
     * @throws `INVALID_ARGUMENT` when the identifier is empty.
     * @scope `read`
     * @example
     * const user = await stepwell.api.getUser('ada@example.org')
     * console.log(user?.id)
     */
    getUser: (identifier: string): Promise<User | undefined> => find({ identifier }),
    /**
     * Gets the user with this id or this identifier, exactly one of them. `getUser` takes an identifier.
     *
     * @returns the user; undefined when nobody has the id or identifier.
     * @throws `INVALID_ARGUMENT` when neither or both are given.
     * @scope `read`
     * @example
     * const user = await stepwell.api.get_user({ id: userId })
     * console.log(user?.identifier)
     */
    get_user: async (
      params:
        | {
            /** The user's id. */
            id: string
            /** Omitted or null. */
            identifier?: null | undefined
          }
        | {
            /** The name by which the application knows the user. */
            identifier: string
            /** Omitted or null. */
            id?: null | undefined
          },
    ): Promise<Snake<User> | undefined> => {
      const { id, identifier } = params
      if (id && identifier)
        throw invalidArgument('id, identifier: expected exactly one of them, got both')
      if (id) return toSnake(await find({ id }), 'Participant')
      if (identifier) return toSnake(await find({ identifier }), 'Participant')
      throw invalidArgument('id, identifier: expected exactly one of them, got neither')
    },

    /**
     * Creates a user.
     *
     * @param metadata - An object; empty when omitted.
     * @returns the user.
     * @throws `CONFLICT` when the identifier is taken.
     * @throws `INVALID_ARGUMENT` when the identifier is empty.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * const { id } = await stepwell.api.createUser('bob@example.org', { plan: 'team' })
     */
    createUser: (identifier: string, metadata?: Metadata): Promise<User> =>
      create({ identifier, metadata }),
    /**
     * Creates a user; `createUser` in the other spelling.
     *
     * @returns the user.
     * @throws `CONFLICT` when the identifier is taken.
     * @throws `INVALID_ARGUMENT` when the identifier is empty.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * const { id } = await stepwell.api.create_user({ identifier: 'bob@example.org', metadata: { plan: 'team' } })
     */
    create_user: async (params: Snake<CreateUserParams>): Promise<Snake<User>> =>
      toSnake(await create(camelKeys<CreateUserParams>(params)), 'Participant'),

    /**
     * Changes a user.
     *
     * @param identifier - The new identifier; omitted or null keeps the stored one.
     * @param metadata - An object that replaces the stored one; omitted keeps it.
     * @returns the user as it is stored now.
     * @throws `CONFLICT` when the identifier is taken.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.updateUser(userId, 'ada@example.com', { plan: 'team' })
     */
    updateUser: (id: string, identifier?: string | null, metadata?: Metadata): Promise<User> =>
      update({ id, identifier, metadata }),
    /**
     * Changes a user; `updateUser` in the other spelling.
     *
     * @returns the user as it is stored now.
     * @throws `CONFLICT` when the identifier is taken.
     * @throws `INVALID_ARGUMENT` when the id is missing.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.update_user({ id: userId, metadata: { plan: 'team' } })
     */
    update_user: async (params: Snake<UserUpdate>): Promise<Snake<User>> =>
      toSnake(await update(camelKeys<UserUpdate>(params)), 'Participant'),

    /**
     * Gets the id of the user with this identifier. When there is none, creates the user. `get_or_create_user` resolves
     * to the user.
     *
     * @param metadata - An object for a new user; a known user keeps the stored one.
     * @returns the id of the user, whether found or created.
     * @throws `INVALID_ARGUMENT` when the identifier is empty.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `read`, and `write`
     * @example
     * const id = await stepwell.api.getOrCreateUser('bob@example.org', { plan: 'team' })
     */
    getOrCreateUser: async (identifier: string, metadata?: Metadata): Promise<string> =>
      (await getOrCreate({ identifier, metadata })).id,
    /**
     * Gets the user with this identifier. When there is none, creates the user. `getOrCreateUser` resolves to the id
     * alone.
     *
     * @returns the user, whether found or created.
     * @throws `INVALID_ARGUMENT` when the identifier is empty.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `read`, and `write`
     * @example
     * const user = await stepwell.api.get_or_create_user({ identifier: 'bob@example.org' })
     * console.log(user.id)
     */
    get_or_create_user: async (params: Snake<CreateUserParams>): Promise<Snake<User>> =>
      toSnake(await getOrCreate(camelKeys<CreateUserParams>(params)), 'Participant'),

    /**
     * Deletes a user. The threads stay, without one.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const deleted = await stepwell.api.deleteUser(userId)
     * if (deleted === null) console.log('there was no such user')
     */
    deleteUser,
    /**
     * Deletes a user; `deleteUser` in the other spelling.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * await stepwell.api.delete_user({ id: userId })
     */
    delete_user: (user: IdParam): Promise<string | null> => deleteUser(idOf(user)),

    /**
     * Deletes all data of a person: their threads with all steps, scores and attachments, the steps that were recorded
     * while another one's thread was theirs first, copies of all these in datasets and the results of experiments on
     * them, scores by them, and the user. Takes requests of five seconds each, until nothing is left. When it is
     * interrupted, another call deletes the rest.
     *
     * @param identifier - The name by which the application knows the user.
     * @returns how many of each kind were deleted; zeros when nobody has this identifier. A dry run of more than five
     * seconds counts a part, and says so by `isComplete`.
     * @throws `INVALID_ARGUMENT` when the identifier is empty, or an option unknown.
     * @throws `TOO_LARGE` when the identifier is larger than 1 MB.
     * @scope `admin`
     * @example
     * const { threads, steps } = await stepwell.api.deleteUserData('bob@example.org', { dryRun: true })
     * console.log(`${threads} threads, ${steps} steps`)
     */
    deleteUserData,
    /**
     * Deletes all data of a person; `deleteUserData` in the other spelling.
     *
     * @returns how many of each kind were deleted; zeros when nobody has this identifier. A dry run of more than five
     * seconds counts a part, and says so by `is_complete`.
     * @throws `INVALID_ARGUMENT` when the identifier is empty, or an option unknown.
     * @throws `TOO_LARGE` when the identifier is larger than 1 MB.
     * @scope `admin`
     * @example
     * const { steps, dataset_items } = await stepwell.api.delete_user_data({ identifier: 'bob@example.org', dry_run: true })
     * console.log(`${steps} steps, ${dataset_items} copies`)
     */
    delete_user_data: async (
      params: Snake<DeleteUserDataParams>,
    ): Promise<Snake<DeletedUserData>> => {
      const { identifier, ...options } = camelKeys<DeleteUserDataParams>(params)
      return toSnake(await deleteUserData(identifier, options), 'DeletedParticipantData')
    },
  }
}

/** Adds the numbers of two calls; the later one knows if anything is left. */
const sumOf = (one: DeletedUserData, other: DeletedUserData): DeletedUserData => ({
  isComplete: other.isComplete,
  users: one.users + other.users,
  threads: one.threads + other.threads,
  threadsKept: one.threadsKept + other.threadsKept,
  steps: one.steps + other.steps,
  generations: one.generations + other.generations,
  scores: one.scores + other.scores,
  attachments: one.attachments + other.attachments,
  datasetItems: one.datasetItems + other.datasetItems,
  experimentItems: one.experimentItems + other.experimentItems,
})
