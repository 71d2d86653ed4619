/**
 * Lists and metrics go by the start of steps and threads, and by their arrival only where no start was told. Equal values
 * of a field are in that order too, so that a page can be read straight from the index. The starts of threads are summed
 * up with their tokens; this makes the sums of threads with steps stale once.
 */
export const starts = `
ALTER TABLE threads ADD COLUMN started_at timestamptz;
UPDATE threads SET stale = true WHERE NOT stale AND step_count > 0;

CREATE INDEX steps_started ON steps (project_id, coalesce(start_time, created_at), id) WHERE ingested;
CREATE INDEX steps_generation_started ON steps (project_id, coalesce(start_time, created_at), id) WHERE has_generation AND ingested;
DROP INDEX steps_thread;
CREATE INDEX steps_thread ON steps (project_id, thread_id, coalesce(start_time, created_at), id) WHERE thread_id IS NOT NULL;
DROP INDEX steps_parent;
CREATE INDEX steps_parent ON steps (project_id, parent_id, coalesce(start_time, created_at), id) WHERE parent_id IS NOT NULL;
DROP INDEX steps_root_run;
CREATE INDEX steps_root_run ON steps (project_id, root_run_id, coalesce(start_time, created_at), id) WHERE root_run_id IS NOT NULL;
DROP INDEX steps_participant;
CREATE INDEX steps_participant ON steps (project_id, participant_id, coalesce(start_time, created_at), id) WHERE participant_id IS NOT NULL;
DROP INDEX steps_name;
CREATE INDEX steps_name ON steps (project_id, left(name, 200), coalesce(start_time, created_at), id) WHERE ingested;
DROP INDEX steps_type;
CREATE INDEX steps_type ON steps (project_id, type, coalesce(start_time, created_at), id) WHERE ingested;
DROP INDEX steps_environment;
CREATE INDEX steps_environment ON steps (project_id, environment, coalesce(start_time, created_at), id) WHERE ingested;
DROP INDEX steps_error;
CREATE INDEX steps_error ON steps (project_id, coalesce(start_time, created_at), id) WHERE error IS NOT NULL;
DROP INDEX steps_gen_error;
CREATE INDEX steps_gen_error ON steps (project_id, coalesce(start_time, created_at), id) WHERE gen_error IS NOT NULL;
DROP INDEX steps_gen_prompt;
CREATE INDEX steps_gen_prompt ON steps (project_id, gen_prompt_id, coalesce(start_time, created_at), id) WHERE gen_prompt_id IS NOT NULL;

CREATE INDEX threads_started ON threads (project_id, coalesce(started_at, created_at), id);
DROP INDEX threads_participant;
CREATE INDEX threads_participant ON threads (project_id, participant_id, coalesce(started_at, created_at), id) WHERE participant_id IS NOT NULL;
DROP INDEX threads_name;
CREATE INDEX threads_name ON threads (project_id, left(name, 200), coalesce(started_at, created_at), id);
DROP INDEX threads_environment;
CREATE INDEX threads_environment ON threads (project_id, environment, coalesce(started_at, created_at), id);
`
