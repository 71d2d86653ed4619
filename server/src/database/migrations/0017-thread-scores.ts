/**
 * Scores of threads, and the kinds of scores. Definitions with labels were categories before there were kinds; none is
 * enforced until somebody says so.
 */
export const threadScores = `
ALTER TABLE scores ADD COLUMN thread_id text COLLATE "C";
CREATE INDEX scores_thread ON scores (project_id, thread_id) WHERE thread_id IS NOT NULL;
ALTER TABLE score_definitions ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT 'NUMBER';
ALTER TABLE score_definitions ADD COLUMN is_enforced boolean NOT NULL DEFAULT false;
UPDATE score_definitions SET kind = 'CATEGORY' WHERE json_array_length(labels) > 0;
`
