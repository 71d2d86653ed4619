// The language of filters, which the service reads too: a filter means the same in the address, in code and on the
// command line. The only sources of the service that the UI has, besides what is generated.
export {
  type Condition,
  type Field,
  isGroup,
  type Language,
  type Node,
  type Sign,
  signsOf,
} from '../../../server/src/query/condition.js'
export { isInstant, localTimeIn } from '../../../server/src/query/instants.js'
export { type ListName, languageOf } from '../../../server/src/query/languages.js'
export { parseFilter } from '../../../server/src/query/parse.js'
export { quote, showFilter } from '../../../server/src/query/show.js'
export { toFilter } from '../../../server/src/query/to-filters.js'
