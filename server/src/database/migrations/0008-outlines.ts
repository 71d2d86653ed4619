/**
 * Lists of threads show facts about their steps that are now summed up with their tokens; this makes all sums stale
 * once.
 */
export const outlines = `
ALTER TABLE threads ADD COLUMN step_count integer NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN error_count integer NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN first_message text;
UPDATE threads SET stale = true;
`
