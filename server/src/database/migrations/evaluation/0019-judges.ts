/**
 * Judges of live traffic. A step or thread that is written gets a row for each judge that takes its sample, in the same
 * transaction: a late or changed one can't be missed, and no list has to be read for those that have no judgement. `due_at`
 * says from when on a worker may take it: after the time of quiet, after the end of a lease, or never again.
 */
export const judges = `
CREATE TABLE judges (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  sample float8 NOT NULL,
  quiet_seconds integer NOT NULL,
  score_names text[] COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  active_until timestamptz NOT NULL,
  judged integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  expired integer NOT NULL DEFAULT 0,
  tokens float8 NOT NULL DEFAULT 0,
  dollars float8 NOT NULL DEFAULT 0,
  last_error text COLLATE "C",
  PRIMARY KEY (project_id, id)
);

CREATE TABLE judge_days (
  project_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  judgements integer NOT NULL DEFAULT 0,
  tokens float8 NOT NULL DEFAULT 0,
  dollars float8 NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, name, day)
);

CREATE TABLE judge_items (
  project_id text COLLATE "C" NOT NULL,
  judge_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  revision integer NOT NULL DEFAULT 0,
  due_at timestamptz,
  holder text COLLATE "C",
  attempts integer NOT NULL DEFAULT 0,
  reserved_tokens float8,
  reserved_dollars float8,
  PRIMARY KEY (project_id, judge_id, id)
);
CREATE INDEX judge_items_due ON judge_items (project_id, judge_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX scores_by_people ON scores (project_id, name, created_at) WHERE type = 'HUMAN' AND step_id IS NOT NULL;
`
