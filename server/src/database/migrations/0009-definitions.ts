/** Definitions of scores, and an index for each order in which experiments are listed. */
export const definitions = `
CREATE TABLE score_definitions (
  project_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  description text COLLATE "C",
  min double precision,
  max double precision,
  labels json NOT NULL,
  better text COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, name)
);
DROP INDEX experiments_dataset;
CREATE INDEX experiments_dataset ON experiments (project_id, dataset_id, created_at, id);
CREATE INDEX experiments_created ON experiments (project_id, created_at, id);
`
