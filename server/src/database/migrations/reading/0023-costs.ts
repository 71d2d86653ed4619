/**
 * Costs of model calls in picodollars, with the revision of the prices that they were computed by. A call that waits for
 * its price has 0, or a negative number that each change replaces by another one. All calls so far wait. The index by
 * revision finds these, and those that a new pricing has not reached, also when a transaction that began before it
 * commits after it.
 */
export const costs = `
ALTER TABLE steps ADD COLUMN gen_client_cost bigint;
ALTER TABLE steps ADD COLUMN gen_cost bigint;
ALTER TABLE steps ADD COLUMN gen_cost_source text COLLATE "C";
ALTER TABLE steps ADD COLUMN gen_cost_partial boolean NOT NULL DEFAULT false;
ALTER TABLE steps ADD COLUMN gen_cost_revision integer NOT NULL DEFAULT 0;
ALTER TABLE steps ADD COLUMN told_cost bigint;
CREATE INDEX steps_gen_cost ON steps (project_id, coalesce(gen_cost::float8 / 1e12::float8, '-Infinity'::float8), id) WHERE has_generation AND ingested;
CREATE INDEX steps_gen_cost_revision ON steps (project_id, gen_cost_revision, id) WHERE has_generation AND ingested;
CREATE INDEX steps_without_cost ON steps (project_id) WHERE has_generation AND ingested AND gen_cost_revision <= 0;
ALTER TABLE threads ADD COLUMN cost bigint;
ALTER TABLE threads ADD COLUMN unpriced_count integer NOT NULL DEFAULT 0;
CREATE INDEX threads_cost ON threads (project_id, coalesce(cost::float8 / 1e12::float8, '-Infinity'::float8), id);

CREATE TABLE prices (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  valid_from timestamptz NOT NULL,
  valid_until timestamptz,
  rates json NOT NULL,
  tiers json NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, model, provider, valid_from)
);

CREATE TABLE price_states (
  project_id text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  target integer NOT NULL,
  total bigint NOT NULL,
  done bigint NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  PRIMARY KEY (project_id)
);
`
