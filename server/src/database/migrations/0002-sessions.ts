/**
 * Sessions of clients. `received` holds the sequence numbers that arrived, as ranges: it stays small however many there
 * are, as nearly all arrive. Losses have rows of their own, so that they can be found by thread.
 */
export const sessions = `
CREATE TABLE sessions (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  started_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  ended_at timestamptz,
  release text COLLATE "C",
  recorded integer NOT NULL,
  received int4multirange NOT NULL,
  PRIMARY KEY (project_id, id)
);

CREATE TABLE session_losses (
  project_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  first integer NOT NULL,
  last integer NOT NULL,
  reason text COLLATE "C" NOT NULL,
  thread_id text COLLATE "C",
  PRIMARY KEY (project_id, session_id, first)
);
CREATE INDEX session_losses_thread ON session_losses (project_id, thread_id) WHERE thread_id IS NOT NULL;

ALTER TABLE steps ADD COLUMN session_id text COLLATE "C";
ALTER TABLE steps ADD COLUMN sequence integer;
`
