export const create = async ({ openAI }) => ({ openai: openAI(), flush: async () => {} })
