/** The number of times that the words of a thread were taken from it, as a step that said them may be deleted. */
export const takenWords = `
ALTER TABLE threads ADD COLUMN words_taken bigint NOT NULL DEFAULT 0;
`
