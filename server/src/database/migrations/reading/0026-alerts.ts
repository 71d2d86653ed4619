/**
 * Alerts, and a bounded history of each, which is also the queue of calls to its webhook. Few: a copy of them is on every
 * worker of a distributed database.
 */
export const alerts = `
CREATE TABLE alerts (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  query text COLLATE "C" NOT NULL,
  environment text COLLATE "C",
  metric text COLLATE "C" NOT NULL,
  comparison text COLLATE "C" NOT NULL,
  threshold float8 NOT NULL,
  window_minutes integer NOT NULL,
  repeat_minutes integer,
  quiet_hours json,
  webhook_host text COLLATE "C" NOT NULL,
  sealed_url text COLLATE "C" NOT NULL,
  sealed_secret text COLLATE "C" NOT NULL,
  is_paused boolean NOT NULL DEFAULT false,
  state text COLLATE "C",
  state_since timestamptz,
  value float8,
  message text COLLATE "C",
  evaluated_at timestamptz,
  told_state text COLLATE "C",
  told_at timestamptz,
  due_at timestamptz NOT NULL,
  lease text COLLATE "C",
  leased_until timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX alerts_due ON alerts (due_at) WHERE NOT is_paused;
CREATE TABLE alert_events (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  alert_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  state text COLLATE "C",
  value float8,
  threshold float8 NOT NULL,
  message text COLLATE "C",
  is_quiet boolean NOT NULL,
  created_at timestamptz NOT NULL,
  call_state text COLLATE "C",
  call_body text COLLATE "C",
  call_attempts integer NOT NULL DEFAULT 0,
  call_status integer,
  call_error text COLLATE "C",
  called_at timestamptz,
  next_call_at timestamptz,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX alert_events_of_alert ON alert_events (project_id, alert_id, created_at, id);
CREATE INDEX alert_events_pending ON alert_events (project_id, alert_id, created_at, id) WHERE call_state = 'PENDING';
`
