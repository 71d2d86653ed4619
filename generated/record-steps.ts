/** Stores a batch of what a client recorded. */
export const RECORD_STEPS = "mutation RecordSteps($steps: [StepInput!]!, $threads: [ThreadInput!], $session: SessionInput) { ingestSteps(steps: $steps, threads: $threads, session: $session) { refused { index message code } refusedThreads { index message code } refusedScores { stepIndex threadIndex index message code } } }"
