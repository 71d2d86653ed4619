// Writes the one document that the outbox sends, as text: the others are syntax trees, which it does not need, and
// their file is ten times as large as the rest of its code.
import { print } from 'graphql'

export const plugin = (_schema, documents) => {
  const definition = documents
    .flatMap(({ document }) => document.definitions)
    .find(({ name }) => name?.value === 'RecordSteps')
  const text = print(definition).replace(/\s+/g, ' ')
  return `/** Stores a batch of what a client recorded. */\nexport const RECORD_STEPS = ${JSON.stringify(text)}\n`
}
