// Writes the types of operations as `typescript-operations` does, and above each variable what the schema says of the argument
// or field that takes it: the schema is the one place that describes parameters. A variable without a description fails
// the generation.
import { plugin as writeOperations } from '@graphql-codegen/typescript-operations'
import { getNamedType, TypeInfo, visit, visitWithTypeInfo } from 'graphql'

export const plugin = async (schema, documents, config, info) => {
  const written = await writeOperations(schema, documents, config, info)
  const descriptions = new Map(
    documents.flatMap(({ document }) => [...describedVariables(schema, document)]),
  )
  const content = written.content.replace(
    /^export type (\w+Variables) = Exact<\{\n([\s\S]*?)^\}>;$/gm,
    (_, type, fields) =>
      `export type ${type} = Exact<{\n${fields.replace(/^ {2}(\w+)\??:/gm, (field, name) => {
        const text = descriptions.get(`${type}.${name}`)
        if (!text)
          throw new Error(`${type}.${name}: the schema describes no argument of this variable`)
        return `${comment(text)}\n${field}`
      })}}>;`,
  )
  return { ...written, content }
}

/** The descriptions of the arguments and input fields that variables are used for, by the types of the variables. */
function describedVariables(schema, document) {
  const found = new Map()
  const types = new TypeInfo(schema)
  let type = ''
  visit(
    document,
    visitWithTypeInfo(types, {
      OperationDefinition: ({ name, operation }) => {
        type = `${name.value}${operation === 'query' ? 'Query' : 'Mutation'}Variables`
      },
      VariableDefinition: () => false,
      Variable: ({ name }, _key, parent, _path, ancestors) => {
        const place = `${type}.${name.value}`
        const description = isCondition(ancestors)
          ? `Includes \`${types.getFieldDef().name}\` in the answer. ${types.getFieldDef().description}`
          : parent.kind === 'ObjectField'
            ? getNamedType(types.getParentInputType()).getFields()[parent.name.value].description
            : types.getArgument()?.description
        if (description && !found.has(place)) found.set(place, description)
      },
    }),
  )
  return found
}

const isCondition = (ancestors) => ancestors.some(({ kind }) => kind === 'Directive')

const comment = (text) => {
  const lines = text.trim().replaceAll('*/', '* /').split('\n')
  return lines.length === 1
    ? `  /** ${lines[0]} */`
    : `  /**\n${lines.map((line) => `   * ${line.trim()}`).join('\n')}\n   */`
}
