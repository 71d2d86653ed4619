import { Client, cacheExchange, fetchExchange } from 'urql'

const common = { url: '/api/graphql', preferGetMethod: false as const }

/** What pages read: answers are kept, and read anew when something of their kind was changed. */
export const client = new Client({
  ...common,
  exchanges: [cacheExchange, fetchExchange],
  requestPolicy: 'cache-and-network',
})

/** For what is large and read once: nothing is kept of it, and nothing walks through it. */
export const plainClient = new Client({
  ...common,
  exchanges: [fetchExchange],
  requestPolicy: 'network-only',
})
