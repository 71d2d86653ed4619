/** The number of times that prices or notes of calls changed what the steps of a thread count, after they were stored. */
export const changedFigures = `
ALTER TABLE threads ADD COLUMN figures_changed bigint NOT NULL DEFAULT 0;
`
