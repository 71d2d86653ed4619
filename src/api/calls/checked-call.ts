import type { DocumentNode, TypeNode } from 'graphql'
import { StepwellError } from '../../errors.js'
import type { Call } from '../../transport/graphql.js'
import { variablesFor } from '../../transport/variables.js'
import { refuseIncomplete } from './answers.js'
import { refuse } from './wrong.js'

const EXPECTED: Readonly<Record<string, [string, (value: unknown) => boolean]>> = {
  String: ['a string', (value) => typeof value === 'string'],
  ID: ['a string', (value) => typeof value === 'string' || Number.isInteger(value)],
  Int: ['a whole number', (value) => Number.isInteger(value)],
  Float: ['a finite number', (value) => Number.isFinite(value)],
  DateTime: [
    'an ISO 8601 timestamp',
    (value) => typeof value === 'string' || value instanceof Date,
  ],
  Boolean: ['true or false', (value) => typeof value === 'boolean'],
}

const checkVariable = (name: string, type: TypeNode, value: unknown): void => {
  if (type.kind === 'NonNullType') checkVariable(name, type.type, value)
  else if (type.kind === 'ListType') {
    // GraphQL accepts one value for a list of one.
    if (Array.isArray(value))
      for (const [index, item] of value.entries())
        checkVariable(`${name}[${index}]`, type.type, item)
  } else if (value !== undefined && value !== null) {
    const [expected, isGood] = EXPECTED[type.name.value] ?? []
    if (expected !== undefined && !isGood?.(value)) refuse(name, expected, value)
  }
}

const describe = (type: TypeNode): string => {
  if (type.kind === 'NonNullType') return describe(type.type)
  if (type.kind === 'ListType') return 'a list'
  return EXPECTED[type.name.value]?.[0] ?? 'a value'
}

/**
 * @internal Checks the variables of a call against its document, as the service's errors would speak of `$variables`, and
 * the answer.
 */
export const checkedCall =
  (call: Call): Call =>
  (document, given, options) => {
    const variables = typeof document === 'string' ? given : variablesFor(document, given)
    if (typeof document !== 'string')
      for (const node of (document as DocumentNode).definitions)
        if (node.kind === 'OperationDefinition')
          for (const { variable, type, defaultValue } of node.variableDefinitions ?? []) {
            const name = variable.name.value
            const value = (variables as Record<string, unknown>)[name]
            if (type.kind === 'NonNullType' && defaultValue === undefined && value == null)
              refuse(name, describe(type), value)
            checkVariable(name, type, value)
          }
    return call(document, variables, options).then(
      (data) => {
        if (typeof document !== 'string') refuseIncomplete(document as DocumentNode, data)
        return data
      },
      (error) => {
        throw withPlaceFirst(error)
      },
    )
  }

const INVALID_VARIABLE =
  /^Variable "\$(\w+)" got invalid value [\s\S]*?(?: at "([^"]+)")?; ([\s\S]*)$/

/** Puts the place of a wrong value first, as the caller sees it: callers do not know the variable. */
const withPlaceFirst = (error: unknown): unknown => {
  if (!StepwellError.is(error)) return error
  const [, variable, place = variable, problem] = INVALID_VARIABLE.exec(error.message) ?? []
  return problem === undefined
    ? error
    : new StepwellError(`${place}: ${problem}`, { ...detailsOf(error), cause: error })
}

const detailsOf = ({ code, status, requestId, retryable, retryAfterMs }: StepwellError) => ({
  code,
  status,
  requestId,
  retryable,
  retryAfterMs,
})
