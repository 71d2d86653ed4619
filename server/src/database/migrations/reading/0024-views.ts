/** Named filters of lists, which a project shares. Few: a copy of them is on every worker of a distributed database. */
export const views = `
CREATE TABLE views (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  query text COLLATE "C" NOT NULL,
  range text COLLATE "C",
  environment text COLLATE "C",
  columns text[] COLLATE "C",
  order_column text COLLATE "C",
  order_direction text COLLATE "C",
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
`
