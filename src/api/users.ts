import {
  CreateUserDocument,
  type CreateUserMutationVariables,
  DeleteUserDocument,
  GetUserDocument,
  GetUsersDocument,
  UpdateUserDocument,
  type UpdateUserMutationVariables,
  type UserFieldsFragment,
} from '../../generated/operations.js'
import type { Participant } from '../../generated/schema.js'
import { invalidArgument, StepwellError } from '../errors.js'
import type { UsersFilter } from '../lists/filters.js'
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
  filters?: UsersFilter[] | undefined
}

export const usersApi = ({ call }: Transport) => {
  const getUsers = createList(async (params: GetUsersParams) =>
    toPage<User>((await call(GetUsersDocument, params)).participants),
  )
  const find = async (by: { id: string } | { identifier: string }): Promise<User | undefined> =>
    (await call(GetUserDocument, by)).participant ?? undefined
  const create = async (user: CreateUserParams): Promise<User> =>
    (await call(CreateUserDocument, variablesFor(CreateUserDocument, user)))
      .createParticipant as User
  const update = async ({ identifier, ...changes }: UserUpdate): Promise<User> => {
    const given = { ...changes, identifier: identifier ?? undefined }
    return (await call(UpdateUserDocument, variablesFor(UpdateUserDocument, given)))
      .updateParticipant as User
  }
  const deleteUser = (id: string): Promise<string | null> =>
    call(DeleteUserDocument, { id }).then(
      ({ deleteParticipant }) => deleteParticipant?.id ?? null,
      nullWhenMissing,
    )

  const getOrCreate = async (user: CreateUserParams): Promise<User> => {
    const { identifier } = user
    const known = await find({ identifier })
    if (known !== undefined) return known
    try {
      return await create(user)
    } catch (error) {
      // Somebody else created the user between the two calls.
      const created =
        StepwellError.is(error) && error.code === 'CONFLICT'
          ? await find({ identifier })
          : undefined
      if (created === undefined) throw error
      return created
    }
  }

  return {
    /** Lists users, the newest first. */
    getUsers,
    /** Lists users; `getUsers` in the other spelling. */
    get_users: createSnakeList(getUsers, 'Participant'),

    /** Gets the user with this identifier; `undefined` when there is none. */
    getUser: (identifier: string): Promise<User | undefined> => find({ identifier }),
    /** Gets the user with this id or this identifier, exactly one of them; `undefined` when there is none. */
    get_user: async (
      params:
        | { id: string; identifier?: null | undefined }
        | { identifier: string; id?: null | undefined },
    ): Promise<Snake<User> | undefined> => {
      const { id, identifier } = params
      if (id && identifier)
        throw invalidArgument('id, identifier: expected exactly one of them, got both')
      if (id) return toSnake(await find({ id }), 'Participant')
      if (identifier) return toSnake(await find({ identifier }), 'Participant')
      throw invalidArgument('id, identifier: expected exactly one of them, got neither')
    },

    /** Creates a user; throws `CONFLICT` when the identifier is taken. */
    createUser: (identifier: string, metadata?: Metadata): Promise<User> =>
      create({ identifier, metadata }),
    /** Creates a user; `createUser` in the other spelling. */
    create_user: async (params: Snake<CreateUserParams>): Promise<Snake<User>> =>
      toSnake(await create(camelKeys<CreateUserParams>(params)), 'Participant'),

    /** Changes a user; absent keeps. Metadata replaces the earlier one. Throws `NOT_FOUND` when nothing has this id. */
    updateUser: (id: string, identifier?: string | null, metadata?: Metadata): Promise<User> =>
      update({ id, identifier, metadata }),
    /** Changes a user; `updateUser` in the other spelling. */
    update_user: async (params: Snake<UserUpdate>): Promise<Snake<User>> =>
      toSnake(await update(camelKeys<UserUpdate>(params)), 'Participant'),

    /** Resolves to the id of the user with this identifier, who is created when unknown. The metadata is for a new user only. */
    getOrCreateUser: async (identifier: string, metadata?: Metadata): Promise<string> =>
      (await getOrCreate({ identifier, metadata })).id,
    /** Resolves to the user with this identifier, who is created when unknown. The metadata is for a new user only. */
    get_or_create_user: async (params: Snake<CreateUserParams>): Promise<Snake<User>> =>
      toSnake(await getOrCreate(camelKeys<CreateUserParams>(params)), 'Participant'),

    /** Deletes a user; the threads stay, without one. Resolves to the id, or to null when nothing had it. */
    deleteUser,
    /** Deletes a user; `deleteUser` in the other spelling. */
    delete_user: (user: IdParam): Promise<string | null> => deleteUser(idOf(user)),
  }
}
