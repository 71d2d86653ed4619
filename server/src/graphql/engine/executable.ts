import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  parse,
} from 'graphql'
import type { Resolvers, ResolversParentTypes } from '../../../generated/resolvers.js'
import { typeDefs } from '../../../generated/type-defs.js'
import { alerts } from '../resolvers/alerts/alerts.js'
import { attachments } from '../resolvers/attachments.js'
import { audit } from '../resolvers/audit/audit.js'
import { datasets } from '../resolvers/datasets.js'
import { experiments } from '../resolvers/experiments.js'
import { generations } from '../resolvers/generations.js'
import { judges } from '../resolvers/judges.js'
import { metrics } from '../resolvers/metrics.js'
import { models } from '../resolvers/models.js'
import { outlines } from '../resolvers/outlines.js'
import { prices } from '../resolvers/prices.js'
import { projects } from '../resolvers/projects.js'
import { prompts } from '../resolvers/prompts.js'
import { retention } from '../resolvers/retention/retention.js'
import { scores } from '../resolvers/scores.js'
import { sessions } from '../resolvers/sessions.js'
import { steps } from '../resolvers/steps.js'
import { threads } from '../resolvers/threads.js'
import { users } from '../resolvers/users.js'
import { views } from '../resolvers/views.js'
import { answerInTurns } from './in-turns.js'
import { Receipt } from './receipts.js'
import { DateTime, Json } from './scalars.js'

type Merged<Parts> = (Parts extends unknown ? (part: Parts) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

/** Fields of the schema that have neither a resolver nor a property of the row. */
type Unanswered<Answered> = {
  [Type in keyof Resolvers]-?: `${Type}.${Exclude<
    keyof NonNullable<Resolvers[Type]> & string,
    | (Type extends keyof Answered ? keyof Answered[Type] : never)
    | (Type extends 'Query' | 'Mutation' ? never : keyof ResolversParentTypes[Type])
    | '__isTypeOf'
  >}`
}[Exclude<keyof Resolvers, 'DateTime' | 'Json'>]

/** Resolvers that leave out no field: a missing one would be null for everybody. */
type Complete<_Missing extends never> = readonly Resolvers[]

const parts = [
  attachments,
  audit,
  datasets,
  experiments,
  generations,
  judges,
  models,
  metrics,
  outlines,
  projects,
  prices,
  prompts,
  retention,
  scores,
  sessions,
  steps,
  threads,
  users,
  views,
  alerts,
]
const resolvers: Complete<Unanswered<Merged<(typeof parts)[number]>>> = parts

/** Creates the schema with its resolvers. Fields without one return the property of their name. */
export const createExecutableSchema = (): GraphQLSchema => build(false)

/**
 * Creates the schema for keys that may only record. Only root fields have resolvers, and they must return receipts:
 * nothing below them can read stored data, whatever fields are added there.
 */
export const createRecordingSchema = (): GraphQLSchema => build(true)

let definitions: DocumentNode | undefined

const build = (isForRecording: boolean): GraphQLSchema => {
  definitions ??= parse(typeDefs, { noLocation: true })
  // A test validates it, so that no start has to: that would take longer than all the rest of this.
  const schema = buildASTSchema(definitions, { assumeValid: true, assumeValidSDL: true })
  for (const part of resolvers)
    for (const [typeName, fields] of Object.entries(part)) {
      const type = schema.getType(typeName)
      if (!isObjectType(type))
        throw new Error(`resolvers for ${typeName}, which is no type of the schema`)
      for (const [fieldName, resolve] of Object.entries(fields)) {
        const field = type.getFields()[fieldName]
        if (field === undefined)
          throw new Error(`a resolver for ${typeName}.${fieldName}, which is not in the schema`)
        if (!isForRecording) field.resolve = resolve
        else if (type === schema.getMutationType()) field.resolve = onlyReceipts(resolve)
      }
    }
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && !isIntrospectionType(type))
      for (const field of Object.values(type.getFields())) answerInTurns(field)
  for (const [name, implementation] of Object.entries({ DateTime, Json })) {
    const scalar = schema.getType(name)
    if (!isScalarType(scalar)) throw new Error(`${name} is no scalar of the schema`)
    Object.assign(scalar, implementation)
  }
  return schema
}

type Resolve = GraphQLFieldResolver<unknown, unknown>

const onlyReceipts =
  (resolve: Resolve): Resolve =>
  async (source, args, context, info) => {
    const answer: unknown = await resolve(source, args, context, info)
    if (answer instanceof Receipt) return answer
    throw new Error(`${info.fieldName} answers a key that may only record with more than a receipt`)
  }
