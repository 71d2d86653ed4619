/**
 * How long a project keeps what was recorded, and what was deleted because of it so far. The index finds the oldest steps
 * that are in no thread; the others go with their threads.
 */
export const retention = `
ALTER TABLE projects ADD COLUMN retention json;
ALTER TABLE projects ADD COLUMN retention_deletions json;
CREATE INDEX steps_alone ON steps (project_id, coalesce(start_time, created_at), id) WHERE thread_id IS NULL;
`
