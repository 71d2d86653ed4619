const BUDGET = `  --budget TOKENS     the most tokens of the answer, from 200. Default: 8000
  --json              one line of JSON: text, tokens, and in next what continues the answer

Exit codes: 0 answered, 1 nothing has this id, 2 the command or the service failed.
`

/** The help of each verb. */
export const HELPS = {
  find: `Usage: stepwell find threads|steps ['QUERY'] [--after CURSOR] [--budget TOKENS]

Lists what passes a query, the newest first, in at most so many tokens, each in a line with its id. A query is what the filter
field of the web UI takes:

  stepwell find threads 'any(type=tool error:any)'

  --after CURSOR      go on where the answer before ended
${BUDGET}`,
  outline: `Usage: stepwell outline THREAD [--budget TOKENS]
       stepwell outline --run STEP [--budget TOKENS]

Prints a thread, or a step with all below it, in at most so many tokens: failures first, then what stands out, then the steps,
with repetitions folded. Every line names the id to read on.

  --run STEP          the step with everything below it, instead of a thread
${BUDGET}`,
  read: `Usage: stepwell read STEP [--part NAME [--from CHARACTER]] [--budget TOKENS]

Prints the input and output of a step in at most so many tokens. Parts without room are cut, and end with how to read on.

  --part NAME         one part alone, such as output or messages.3
  --from CHARACTER    where in the part to begin. Default: 0
${BUDGET}`,
  diff: `Usage: stepwell diff GOOD OTHER [--budget TOKENS]
       stepwell diff --runs GOOD OTHER [--budget TOKENS]

Prints what differs between two threads in at most so many tokens, with their steps in pairs: failures of one alone first, then
all differences in their order. Every line names the ids to read on.

  --runs              two steps, each with everything below it, instead of threads
${BUDGET}`,
  query: `Usage: stepwell query threads|runs|steps|generations|scores ['QUERY'] [options]

Prints counts, failures, percentiles, tokens, costs and mean scores of what passes a query, in at most so many tokens:

  stepwell query generations 'error:any' --from 24h --by model

  --from TIME         the start: ISO 8601, or as long ago as 30m, 24h or 7d. Default: 7d
  --to TIME           the end. Default: now
  --by PROPERTY       a line for each of the five largest values of environment, model, promptVersion, release, name, type,
                      provider or user, and one for the rest
  --buckets NUMBER    a line for each span of equal length, too: 1 to 500
  --name NAME         for scores: only those of this name
  --environment NAME  only this environment
${BUDGET}`,
  export: `Usage: stepwell export LIST ['QUERY'] [--out FILE] [options]

Says how large an export is and prints its first rows, in at most so many tokens; with --out, writes all of it. Lists: threads,
steps, generations, scores, users, datasets, datasetItems, experiments and experimentItems.

  --out FILE          write all rows to a file, as CSV if it ends with .csv, else as JSONL
  --columns NAMES     the fields, with commas between them. Default: all plain ones
  --limit NUMBER      the most rows
  --dataset ID        the dataset whose items to export
  --experiment ID     the experiment whose results to export
${BUDGET}`,
  score: `Usage: stepwell score STEP --name NAME --value NUMBER [--comment TEXT] [options]
       stepwell score --thread THREAD --name NAME --value NUMBER [--comment TEXT] [options]

Writes a score on a step or a thread that exists. It is the only one of these commands that writes, and needs a key that may
read and write.

  --thread            the id is that of a thread
  --name NAME         the name of the judgement
  --value NUMBER      the value
  --label TEXT        a label of the score's definition, instead of a value
  --comment TEXT      the reason
  --type TYPE         HUMAN, CODE or AI. Default: AI
  --scorer NAME       the person, program or model that judges
${BUDGET}`,
} as const
