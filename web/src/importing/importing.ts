// The SDK's reading of files, so that a file makes the same items here and on the command line.
export { checkSize, readFileRows } from '../../../src/importing/file.js'
export { type Contents, type Imported, importItems } from '../../../src/importing/import-items.js'
export {
  guessMapping,
  type ImportedItem,
  itemOf,
  PARTS,
  type Part,
  type Place,
  placeOf,
  splitPlace,
} from '../../../src/importing/mapping.js'
export type { FileRow } from '../../../src/importing/rows.js'
