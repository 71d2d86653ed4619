/**
 * The tokens of a call that calls within it have told too, so that sums leave out these and not the whole call. They are
 * computed with the sums of threads, which all become stale once.
 */
export const toldTokens = `
DROP INDEX steps_telling;
ALTER TABLE steps DROP COLUMN tokens_below;
ALTER TABLE steps ADD COLUMN told_tokens bigint;
ALTER TABLE steps ADD COLUMN told_input_tokens bigint;
ALTER TABLE steps ADD COLUMN told_output_tokens bigint;
UPDATE threads SET stale = true;
`
