/**
 * When to look whether anything refers to a file: a day after it was announced, and when something that referred to it was
 * deleted. Null once it was found to be in use, so that nobody looks at it again.
 */
export const fileChecks = `
ALTER TABLE files ADD COLUMN check_at timestamptz;
UPDATE files SET check_at = created_at + interval '1 day';
CREATE INDEX files_check ON files (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX attachments_object ON attachments (project_id, object_key) WHERE object_key IS NOT NULL;
`
