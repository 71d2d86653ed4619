/** Steps that failed by their own error or by that of their model call, in order. Few steps fail: it costs the others nothing. */
export const failures = `
CREATE INDEX steps_failure ON steps (project_id, coalesce(start_time, created_at), id) WHERE error IS NOT NULL OR gen_error IS NOT NULL;
`
