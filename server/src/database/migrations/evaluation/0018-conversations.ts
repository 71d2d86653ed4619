/**
 * The end of conversations: the rule of a project, and the facts about a thread that it is applied to when threads are
 * read, so that a rule holds for past threads at once. They are summed up with the tokens; this makes all sums stale
 * once.
 */
export const conversations = `
ALTER TABLE projects ADD COLUMN conversation_end json;
ALTER TABLE threads ADD COLUMN last_activity_at timestamptz;
ALTER TABLE threads ADD COLUMN last_tools text[];
CREATE INDEX threads_activity ON threads (project_id, coalesce(last_activity_at, created_at), id);
UPDATE threads SET stale = true;
`
