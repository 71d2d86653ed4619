import type { Resolvers } from '../../../generated/resolvers.js'

export const judges = {
  Query: {
    judges: (_, _args, { domain, caller }) => domain.judges.list(caller),
    judgementPairs: (_, { judgeId, name }, { domain, caller }) =>
      domain.judges.listPairs(caller, judgeId, name),
  },
  Mutation: {
    leaseJudgements: (_, args, { domain, caller }) => domain.judgementLeases.lease(caller, args),
    createJudgements: (_, args, { domain, caller }) => domain.judgements.create(caller, args),
  },
  Judge: {
    waiting: ({ id }, _, { domain, caller }) => domain.judges.countWaiting(caller, id),
    usedToday: ({ name }, _, { domain, caller }) => domain.judges.usedToday(caller, name),
    isSpent: (judge, _, { domain }) => domain.judges.isSpent(judge),
    budget: ({ budgetJudgements, budgetTokens, budgetDollars }) =>
      (budgetJudgements ?? budgetTokens ?? budgetDollars) === null
        ? null
        : { judgements: budgetJudgements, tokens: budgetTokens, dollars: budgetDollars },
  },
} satisfies Resolvers
