// Copies files of the SDK to the service, which imports nothing of it: the algebra of usage, and its readers.
import { readFileSync } from 'node:fs'

const SOURCE = new URL('../../src/', import.meta.url)

export const plugin = (_schema, _documents, _config, { outputFile }) => {
  const path = outputFile.replaceAll('\\', '/').replace(/^.*server\/generated\//, '')
  return `// Copied from src/${path}.\n${readFileSync(new URL(path, SOURCE), 'utf8')}`
}
