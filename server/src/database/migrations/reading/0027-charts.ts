/** The measurement of a view that is a chart, and its place among the others. */
export const charts = `
ALTER TABLE views ADD COLUMN chart_subject text COLLATE "C";
ALTER TABLE views ADD COLUMN chart_metric text COLLATE "C";
ALTER TABLE views ADD COLUMN chart_split text COLLATE "C";
ALTER TABLE views ADD COLUMN chart_score text COLLATE "C";
ALTER TABLE views ADD COLUMN position double precision;
`
