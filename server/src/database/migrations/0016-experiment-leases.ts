/**
 * Runs of experiments that several processes share, and that go on after one of them was killed. The identity finds the
 * experiment of a run again; a lease says which process works on an item, until when, and its result once there is one.
 */
export const experimentLeases = `
ALTER TABLE experiments ADD COLUMN identity text COLLATE "C";
CREATE UNIQUE INDEX experiments_identity ON experiments (project_id, identity) WHERE identity IS NOT NULL;
ALTER TABLE experiment_items ADD COLUMN key text COLLATE "C";
ALTER TABLE experiment_items ADD COLUMN repetition integer;
ALTER TABLE experiment_items ADD COLUMN error text COLLATE "C";

CREATE TABLE experiment_leases (
  project_id text COLLATE "C" NOT NULL,
  experiment_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  repetition integer NOT NULL,
  holder text COLLATE "C" NOT NULL,
  leased_until timestamptz NOT NULL,
  item_id text COLLATE "C",
  PRIMARY KEY (project_id, experiment_id, key, repetition)
);
`
