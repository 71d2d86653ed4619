/**
 * The group that an evaluation gave to the item of a result, so that whoever compares runs groups items as the run itself
 * did.
 */
export const resultGroups = `
ALTER TABLE experiment_items ADD COLUMN cluster text COLLATE "C";
`
