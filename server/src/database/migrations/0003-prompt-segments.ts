/** The part of a prompt's calls that each version has, so that a new split moves no more of them than it must. */
export const promptSegments = `
ALTER TABLE prompt_lineages ADD COLUMN segments json;
`
