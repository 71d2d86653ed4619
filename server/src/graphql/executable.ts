import {
  buildSchema,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isObjectType,
  isScalarType,
} from 'graphql'
import { typeDefs } from '../../generated/type-defs.js'
import { attachments } from './attachments.js'
import { datasets } from './datasets.js'
import { experiments } from './experiments.js'
import { generations } from './generations.js'
import { metrics } from './metrics.js'
import { outlines } from './outlines.js'
import { projects } from './projects.js'
import { prompts } from './prompts.js'
import { Receipt } from './receipts.js'
import { DateTime, Json } from './scalars.js'
import { scores } from './scores.js'
import { sessions } from './sessions.js'
import { steps } from './steps.js'
import { threads } from './threads.js'
import { users } from './users.js'

const resolvers = [
  attachments,
  datasets,
  experiments,
  generations,
  metrics,
  outlines,
  projects,
  prompts,
  scores,
  sessions,
  steps,
  threads,
  users,
]

/** The contract with the code that answers it. Fields without code of their own give the property of their name. */
export const createExecutableSchema = (): GraphQLSchema => build(false)

/**
 * The same contract for keys that may only record. Only fields at the root have code, and what they give must be
 * receipts: nothing below them can read what is stored, whatever is added there.
 */
export const createRecordingSchema = (): GraphQLSchema => build(true)

const build = (isForRecording: boolean): GraphQLSchema => {
  const schema = buildSchema(typeDefs)
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
