import { type KyselyPlugin, RawNode } from 'kysely'

/** The statement that fails, as if the process ended there, after some like it. */
interface Fault {
  at: RegExp
  after: number
}

/** Lets statements fail. A plugin does so on every engine; a cluster has no triggers. */
export const newFaults = () => {
  let fault: Fault | undefined
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      const text = RawNode.is(node) ? node.sqlFragments.join('') : ''
      if (fault?.at.test(text) && fault.after-- <= 0) throw new Error('failed by the test')
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return {
    plugin,
    begin: (next: Fault) => {
      fault = next
    },
    end: () => {
      fault = undefined
    },
  }
}
