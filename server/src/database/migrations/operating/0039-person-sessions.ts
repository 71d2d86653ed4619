/**
 * People who are signed in by the provider, with the roles that its groups gave them. A session is of a person and not of
 * a project: `entered` has the projects that it was used in.
 */
export const personSessions = `
CREATE TABLE person_sessions (
  id text COLLATE "C" PRIMARY KEY,
  person_id text COLLATE "C" NOT NULL,
  person_name text NOT NULL,
  grants json NOT NULL,
  rules text COLLATE "C" NOT NULL,
  entered text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX person_sessions_person ON person_sessions (person_id);
CREATE INDEX person_sessions_expires ON person_sessions (expires_at);
`
