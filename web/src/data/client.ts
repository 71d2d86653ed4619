import { Client, cacheExchange, fetchExchange } from 'urql'
import { at } from '../format/base.js'

const common = { url: at('/api/graphql'), preferGetMethod: false as const }

/** For pages: keeps answers, and reads them again after a change of their kind. */
export const client = new Client({
  ...common,
  exchanges: [cacheExchange, fetchExchange],
  requestPolicy: 'cache-and-network',
})

/** For large answers that are read once: keeps and traverses nothing. */
export const plainClient = new Client({
  ...common,
  exchanges: [fetchExchange],
  requestPolicy: 'network-only',
})
