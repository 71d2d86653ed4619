/** The labels of a prompt, each with the version that it leads to, and their newest moves. */
export const promptLabels = `
ALTER TABLE prompt_lineages ADD COLUMN labels json;
ALTER TABLE prompt_lineages ADD COLUMN label_moves json;
`
