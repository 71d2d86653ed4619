/** Days and ten minutes are measured too: of the rows that are there in the background, the newest first. */
export const longerRollups = `
INSERT INTO rollup_fills (project_id, source)
SELECT p.id, s.source FROM projects p CROSS JOIN (VALUES ('steps'), ('threads')) AS s (source)
WHERE EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = 'steps'::regclass AND tgname = 'rollup_steps_update')
ON CONFLICT (project_id, source) DO UPDATE SET reached = NULL;
`
