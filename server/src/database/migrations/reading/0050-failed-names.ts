/** Failed steps of a name, in order. Few steps fail: it costs the others nothing. */
export const failedNames = `
CREATE INDEX steps_error_name ON steps (project_id, left(name, 200), coalesce(start_time, created_at), id) WHERE error IS NOT NULL;
`
