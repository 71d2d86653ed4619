/**
 * Figures of data that was deleted because of its age, of projects that keep those. `rest` has what came of further values
 * when there were too many. A thread of which some steps are deleted has its own figures from before.
 */
export const keptRollups = `
CREATE TABLE kept_rollups (
  project_id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  dimension text COLLATE "C" NOT NULL,
  seconds integer NOT NULL,
  start timestamptz NOT NULL,
  series json NOT NULL,
  rest json NOT NULL,
  PRIMARY KEY (project_id, subject, dimension, seconds, start)
);
ALTER TABLE threads ADD COLUMN figures_before json;
`
