/**
 * What a step said, in one short line for each value that says it, so that lists read no payload. Each is merged as its
 * value is, and so does not depend on the order in which parts arrive. Those of rows that are there already are computed
 * when they are read first. Threads have what was said first and last, and their first error, with their sums, which all
 * become stale once.
 */
export const excerpts = `
ALTER TABLE steps ADD COLUMN input_excerpt text COLLATE "C";
ALTER TABLE steps ADD COLUMN output_excerpt text COLLATE "C";
ALTER TABLE steps ADD COLUMN gen_prompt_excerpt text COLLATE "C";
ALTER TABLE steps ADD COLUMN gen_completion_excerpt text COLLATE "C";
ALTER TABLE steps ADD COLUMN gen_messages_excerpt text COLLATE "C";
ALTER TABLE steps ADD COLUMN gen_message_completion_excerpt text COLLATE "C";
ALTER TABLE threads ADD COLUMN last_message text COLLATE "C";
ALTER TABLE threads ADD COLUMN first_error text COLLATE "C";
UPDATE threads SET stale = true;
`
