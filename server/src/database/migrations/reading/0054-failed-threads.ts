/** Threads in which a step has failed, in order. Few have one: it costs the others nothing. */
export const failedThreads = `
CREATE INDEX threads_failed ON threads (project_id, coalesce(started_at, created_at), id) WHERE error_count > 0;
`
