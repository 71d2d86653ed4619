/**
 * The time, the tokens and the dollars that a result of an experiment took, so that runs are compared by them too, and the
 * end of an experiment's run: one that was stopped is not a run to compare others with.
 */
export const measuredResults = `
ALTER TABLE experiment_items ADD COLUMN duration_ms double precision;
ALTER TABLE experiment_items ADD COLUMN tokens integer;
ALTER TABLE experiment_items ADD COLUMN cost double precision;
ALTER TABLE experiments ADD COLUMN status text COLLATE "C";
ALTER TABLE experiments ADD COLUMN problem text COLLATE "C";
`
