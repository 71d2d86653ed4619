import type { Tracer } from '../../tracing/tracer.js'
import { type StepwellCallbacks, stepwellCallbacks } from './callbacks.js'

/** The part of `@langchain/core/context` that adds handlers to all runs. */
export interface LangChainContext {
  registerConfigureHook(hook: { contextVar: string }): void
  setContextVariable(name: string, value: StepwellCallbacks): void
}

const VARIABLE = 'stepwell'

/**
 * Records every run of LangChain and LangGraph in the running context and in those that begin in it, without `callbacks`
 * at each call. Meant for the start of a program, before servers and timers are made, and outside of functions.
 *
 * @example
 * import * as context from '@langchain/core/context'
 * recordLangChain(stepwell, context)
 */
export const recordLangChain = (stepwell: Tracer, context: LangChainContext): void => {
  context.registerConfigureHook({ contextVar: VARIABLE })
  context.setContextVariable(VARIABLE, stepwellCallbacks(stepwell))
}
