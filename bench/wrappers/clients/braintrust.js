import { flush, initLogger, wrapOpenAI } from 'braintrust'

export const create = async ({ openAI, url }) => {
  initLogger({ projectName: 'bench', apiKey: 'bench', appUrl: url })
  return { openai: wrapOpenAI(openAI()), flush: () => flush() }
}
