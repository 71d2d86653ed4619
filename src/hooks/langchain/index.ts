// The entry point of the hook for LangChain and LangGraph.
export { type StepwellCallbacks, stepwellCallbacks } from './callbacks.js'
export { type LangChainContext, recordLangChain } from './everywhere.js'
