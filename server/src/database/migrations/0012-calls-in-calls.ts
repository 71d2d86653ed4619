/**
 * Calls of models that are spans in one another: of a framework, of a client, of a provider. The bits of `tokens_below`
 * say which kinds of calls below a step have told their tokens: 1 for models, 2 for embeddings. Only steps of spans, whose
 * ids have 49 characters, are looked up by their parents.
 */
export const callsInCalls = `
ALTER TABLE steps ADD COLUMN tokens_below integer NOT NULL DEFAULT 0;
CREATE INDEX steps_telling ON steps (project_id, parent_id)
  WHERE parent_id IS NOT NULL AND length(id) = 49 AND (gen_tokens > 0 OR tokens_below > 0);
`
