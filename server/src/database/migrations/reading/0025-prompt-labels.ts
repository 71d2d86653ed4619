/**
 * The labels of a prompt, each with the version that it leads to, and their newest moves; and the models that prompts are
 * tried with.
 */
export const promptLabels = `
ALTER TABLE prompt_lineages ADD COLUMN labels json;
ALTER TABLE prompt_lineages ADD COLUMN label_moves json;
ALTER TABLE projects ADD COLUMN model_endpoints json;
`
