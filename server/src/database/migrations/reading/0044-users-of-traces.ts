/** The user of each trace, and the rank of the span that names it: of several, the one with the lowest rank decides. */
export const usersOfTraces = `
ALTER TABLE traces ADD COLUMN participant_id text COLLATE "C";
ALTER TABLE traces ADD COLUMN user_rank text COLLATE "C";
`
