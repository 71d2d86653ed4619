/** The tokens of a model call in parts. */
export const usage = `
ALTER TABLE steps ADD COLUMN gen_usage json;
`
