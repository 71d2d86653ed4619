/**
 * Traces of OpenTelemetry that name a conversation, and log records that belong to spans. Both have to be found by the
 * ids that later requests bring: a trace comes in any number of parts, in any order.
 */
export const traces = `
CREATE TABLE traces (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  thread_id text COLLATE "C" NOT NULL,
  rank text COLLATE "C" NOT NULL,
  changes integer NOT NULL,
  is_settled boolean NOT NULL,
  left_ids text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX traces_thread ON traces (project_id, thread_id);

CREATE TABLE span_logs (
  project_id text COLLATE "C" NOT NULL,
  step_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  place integer NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (project_id, step_id, id)
);
`
