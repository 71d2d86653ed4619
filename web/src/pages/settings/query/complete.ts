import {
  type Field,
  type Input,
  namedType,
  type Schema,
  type SchemaType,
  showType,
} from './schema.js'

export interface Suggestion {
  label: string
  /** Put in instead of the label. */
  insert?: string
  detail?: string
  info?: string | undefined
  isDeprecated?: boolean
}

export interface Suggestions {
  /** Where the word that is completed begins. */
  from: number
  options: Suggestion[]
}

/** Where in a document one is: what may stand there follows. */
type Frame =
  | { kind: 'document' }
  | { kind: 'variables' }
  | { kind: 'selection'; type: string | undefined }
  /** The arguments of a field or directive, or the members of an input object. */
  | { kind: 'inputs'; inputs: readonly Input[]; used: Set<string>; current?: Input | undefined }

const TOKEN =
  /"""[\s\S]*?(?:"""|$)|"(?:[^"\\\n]|\\.)*"?|#[^\n]*|\.\.\.|[A-Za-z_]\w*|[-\d][\w.+-]*|[^\s,]/g

const TYPENAME: Suggestion = { label: '__typename', detail: 'String!' }

/** Returns what may stand at an offset of a document, complete or not; null inside strings and comments. */
export const complete = (schema: Schema, text: string, offset: number): Suggestions | null => {
  const word = /[A-Za-z_]\w*$/.exec(text.slice(0, offset))?.[0] ?? ''
  const from = offset - word.length
  const before = text.slice(0, from)
  const tokens = before.match(TOKEN) ?? []
  const last = tokens.at(-1) ?? ''
  if (isOpen(before, last)) return null
  const types = new Map(schema.types.map((type) => [type.name, type]))
  const { frame, variables } = walk(schema, types, tokens)
  const options = optionsIn(schema, types, frame, last, variables)
  return options.length === 0 ? null : { from, options }
}

/** Returns whether a text ends inside a string or a comment. */
const isOpen = (text: string, last: string): boolean => {
  if (last.startsWith('#')) return !text.slice(text.lastIndexOf(last)).includes('\n')
  if (last.startsWith('"""')) return last.length < 6 || !last.endsWith('"""')
  return last.startsWith('"') && (last.length < 2 || !last.endsWith('"'))
}

const walk = (
  schema: Schema,
  types: ReadonlyMap<string, SchemaType>,
  tokens: readonly string[],
): { frame: Frame; variables: string[] } => {
  const frames: Frame[] = [{ kind: 'document' }]
  const variables: string[] = []
  /** The field or value that a following brace or parenthesis belongs to. */
  let entered: string | undefined = schema.queryType.name
  let inputs: readonly Input[] = []
  tokens.forEach((token, index) => {
    const frame = frames.at(-1) as Frame
    const previous = tokens[index - 1] ?? ''
    const isName = /^[A-Za-z_]/.test(token)
    if (previous === '@' && isName) {
      inputs = schema.directives.find(({ name }) => name === token)?.args ?? []
      return
    }
    if (previous === 'on' && isName && isCondition(tokens, index - 1)) {
      entered = token
      return
    }
    switch (frame.kind) {
      case 'document':
        if (token === 'query') entered = schema.queryType.name
        if (token === 'mutation') entered = schema.mutationType?.name
        if (token === '(') frames.push(inputs.length > 0 ? startOf(inputs) : { kind: 'variables' })
        if (token === '{') frames.push({ kind: 'selection', type: entered })
        return
      case 'variables':
        if (previous === '$' && isName) variables.push(token)
        if (token === ')') frames.pop()
        return
      case 'selection':
        if (token === '{') frames.push({ kind: 'selection', type: entered })
        else if (token === '(') frames.push(startOf(inputs))
        else if (token === '...') entered = frame.type
        else if (token === '}') {
          frames.pop()
          if (frames.length === 1) entered = schema.queryType.name
          inputs = []
        } else if (isName && previous !== '...') {
          const field = fieldsOf(types, frame.type).find(({ name }) => name === token)
          entered = namedType(field?.type)
          inputs = field?.args ?? []
        }
        return
      case 'inputs':
        if (token === '{')
          frames.push(startOf(types.get(namedType(frame.current?.type) ?? '')?.inputFields ?? []))
        else if (token === ')' || token === '}') {
          frames.pop()
          inputs = []
        } else if (token === ':') {
          frame.current = frame.inputs.find(({ name }) => name === previous)
          frame.used.add(previous)
        }
    }
  })
  return { frame: frames.at(-1) ?? { kind: 'document' }, variables }
}

/** Returns whether the word `on` at a place begins a type condition. */
const isCondition = (tokens: readonly string[], at: number): boolean =>
  tokens[at - 1] === '...' || tokens[at - 2] === 'fragment'

const startOf = (inputs: readonly Input[]): Frame => ({ kind: 'inputs', inputs, used: new Set() })

const fieldsOf = (types: ReadonlyMap<string, SchemaType>, type: string | undefined): Field[] =>
  types.get(type ?? '')?.fields ?? []

const optionsIn = (
  schema: Schema,
  types: ReadonlyMap<string, SchemaType>,
  frame: Frame,
  last: string,
  variables: readonly string[],
): Suggestion[] => {
  if (last === '@')
    return schema.directives.map(({ name, description }) => option(name, '', description))
  switch (frame.kind) {
    case 'document':
      if (last === 'on') return typesOf(schema, ['OBJECT'])
      return ['query', 'mutation', 'fragment'].includes(last)
        ? []
        : ['query', 'mutation', 'fragment'].map((label) => ({ label }))
    case 'variables':
      return last === ':' || last === '[' ? typesOf(schema, ['SCALAR', 'ENUM', 'INPUT_OBJECT']) : []
    case 'selection':
      if (last === 'on') return typesOf(schema, ['OBJECT'])
      if (last === '...') return [{ label: 'on' }]
      return [
        ...fieldsOf(types, frame.type).map((field) => ({
          ...option(field.name, showType(field.type), field.description),
          isDeprecated: field.isDeprecated,
        })),
        ...(frame.type === undefined ? [] : [TYPENAME]),
      ]
    case 'inputs': {
      if (last === '$') return variables.map((label) => ({ label }))
      if (last === ':' || last === '[') return valuesOf(types, frame.current, variables, last)
      return frame.inputs
        .filter(({ name }) => !frame.used.has(name))
        .map((input) => ({
          ...option(input.name, showType(input.type), input.description),
          insert: `${input.name}: `,
        }))
    }
  }
}

const valuesOf = (
  types: ReadonlyMap<string, SchemaType>,
  input: Input | undefined,
  variables: readonly string[],
  last: string,
): Suggestion[] => {
  const name = namedType(input?.type)
  const values = types.get(name ?? '')?.enumValues ?? []
  return [
    ...values.map((value) => option(value.name, name ?? '', value.description)),
    ...(name === 'Boolean' ? ['true', 'false'].map((label) => option(label, name, null)) : []),
    ...(last === ':' ? variables.map((label) => ({ label: `$${label}` })) : []),
  ]
}

const typesOf = (schema: Schema, kinds: readonly string[]): Suggestion[] =>
  schema.types
    .filter(({ kind, name }) => kinds.includes(kind) && !name.startsWith('__'))
    .map(({ name }) => ({ label: name }))

const option = (label: string, detail: string, description: string | null): Suggestion => ({
  label,
  detail,
  info: description ?? undefined,
})
