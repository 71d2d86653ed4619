/**
 * An index for each order of a list and for each of its fields that can lead to few rows, so that no page reads the
 * whole table. Equal values are in the order of creation, so a page can be read straight from the index. Texts are
 * indexed by their first 200 characters, as the size of an index entry is limited.
 */
export const boundedLists = `
DROP INDEX steps_created;
DROP INDEX steps_thread;
DROP INDEX steps_parent;
DROP INDEX steps_participant;
DROP INDEX steps_generation;
CREATE INDEX steps_created ON steps (project_id, created_at, id) WHERE ingested;
CREATE INDEX steps_thread ON steps (project_id, thread_id, created_at, id) WHERE thread_id IS NOT NULL;
CREATE INDEX steps_parent ON steps (project_id, parent_id, created_at, id) WHERE parent_id IS NOT NULL;
CREATE INDEX steps_root_run ON steps (project_id, root_run_id, created_at, id) WHERE root_run_id IS NOT NULL;
CREATE INDEX steps_participant ON steps (project_id, participant_id, created_at, id) WHERE participant_id IS NOT NULL;
CREATE INDEX steps_name ON steps (project_id, left(name, 200), created_at, id) WHERE ingested;
CREATE INDEX steps_type ON steps (project_id, type, created_at, id) WHERE ingested;
CREATE INDEX steps_environment ON steps (project_id, environment, created_at, id) WHERE ingested;
CREATE INDEX steps_error ON steps (project_id, created_at, id) WHERE error IS NOT NULL;
CREATE INDEX steps_tags ON steps USING gin (tags) WHERE tags IS NOT NULL;

CREATE INDEX steps_generation ON steps (project_id, created_at, id) WHERE has_generation AND ingested;
CREATE INDEX steps_gen_model ON steps (project_id, coalesce(left(gen_model, 200), ''), id) WHERE has_generation AND ingested;
CREATE INDEX steps_gen_provider ON steps (project_id, coalesce(left(gen_provider, 200), ''), id) WHERE has_generation AND ingested;
CREATE INDEX steps_gen_duration ON steps (project_id, coalesce(gen_duration, '-Infinity'::float8), id) WHERE has_generation AND ingested;
CREATE INDEX steps_gen_tokens ON steps (project_id, coalesce(gen_tokens::float8, '-Infinity'::float8), id) WHERE has_generation AND ingested;
CREATE INDEX steps_gen_prompt ON steps (project_id, gen_prompt_id, created_at, id) WHERE gen_prompt_id IS NOT NULL;
CREATE INDEX steps_gen_error ON steps (project_id, created_at, id) WHERE gen_error IS NOT NULL;
CREATE INDEX steps_gen_tags ON steps USING gin (gen_tags) WHERE gen_tags IS NOT NULL;

DROP INDEX threads_participant;
CREATE INDEX threads_participant ON threads (project_id, participant_id, created_at, id) WHERE participant_id IS NOT NULL;
CREATE INDEX threads_name ON threads (project_id, left(name, 200), created_at, id);
CREATE INDEX threads_environment ON threads (project_id, environment, created_at, id);
CREATE INDEX threads_tokens ON threads (project_id, coalesce(token_count::float8, '-Infinity'::float8), id);
CREATE INDEX threads_duration ON threads (project_id, coalesce(duration, '-Infinity'::float8), id);
CREATE INDEX threads_tags ON threads USING gin (tags) WHERE tags IS NOT NULL;

CREATE INDEX scores_value ON scores (project_id, value, id);
CREATE INDEX scores_name ON scores (project_id, left(name, 200), created_at, id);
CREATE INDEX scores_name_value ON scores (project_id, left(name, 200), value);
CREATE INDEX scores_scorer ON scores (project_id, left(scorer, 200), created_at, id);
CREATE INDEX scores_label ON scores (project_id, left(label, 200), created_at, id);
CREATE INDEX scores_comment ON scores (project_id, created_at, id) WHERE comment IS NOT NULL;
CREATE INDEX scores_tags ON scores USING gin (tags) WHERE tags IS NOT NULL;
`
