/** The output that was expected, of results on items of no dataset: nothing else has it once the run has ended. */
export const expectedOutputs = `
ALTER TABLE experiment_items ADD COLUMN expected_output json;
`
