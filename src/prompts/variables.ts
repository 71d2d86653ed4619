/**
 * The variables of prompts, by the prompts' names. Empty until a module that `stepwell prompts pull` wrote adds to it;
 * then `format` of these prompts takes what their templates need, and nothing else.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be added to
export interface PromptVariables {}

/** A prompt's name: those that are known are offered by editors. */
export type PromptName = keyof PromptVariables | (string & {})

/** The variables that `format` takes for a prompt. */
export type VariablesOf<Name> = Name extends keyof PromptVariables
  ? PromptVariables[Name]
  : Record<string, unknown>
