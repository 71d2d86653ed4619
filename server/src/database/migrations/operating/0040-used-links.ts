/** Links that somebody signed in by, so that no process of the service takes one again. The others are nowhere. */
export const usedLinks = `
CREATE TABLE used_links (
  id text COLLATE "C" PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
`
