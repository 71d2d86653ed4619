/**
 * When to check for references to a file: a day after it was announced, and when something that referred to it was
 * deleted. Null once a reference was found, so that no further check is made.
 */
export const fileChecks = `
ALTER TABLE files ADD COLUMN check_at timestamptz;
UPDATE files SET check_at = created_at + interval '1 day';
CREATE INDEX files_check ON files (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX attachments_object ON attachments (project_id, object_key) WHERE object_key IS NOT NULL;
`
