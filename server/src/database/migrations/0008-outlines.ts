/** What lists of threads show of their steps is summed up with their tokens; all sums are made anew once. */
export const outlines = `
ALTER TABLE threads ADD COLUMN step_count integer NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN error_count integer NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN first_message text;
UPDATE threads SET stale = true;
`
