/**
 * An index of what steps contain, which is made behind ingestion. A commit adds one row of `content_changes` with the ids
 * that it wrote. A worker reads their texts and gathers the steps in blocks, each with a signature: a set of hashes of all
 * short pieces of its texts. A slab has the signatures of some blocks turned by 90 degrees, so that the bits of all blocks
 * for one hash lie side by side; its value is not compressed, so that they are read without the rest of it. Times are the
 * earliest and latest of the steps, in microseconds. `content_states` says to where the steps of before are indexed; without a row of it, a
 * project has no index. `since` is a transaction after which all others note their changes.
 */
export const contents = `
CREATE TABLE content_changes (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  step_ids text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE TABLE content_blocks (
  project_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  step_ids text[] COLLATE "C" NOT NULL,
  created_from float8 NOT NULL,
  created_to float8 NOT NULL,
  started_from float8 NOT NULL,
  started_to float8 NOT NULL,
  PRIMARY KEY (project_id, number)
);
CREATE TABLE content_slabs (
  project_id text COLLATE "C" NOT NULL,
  first_block integer NOT NULL,
  blocks integer NOT NULL,
  signatures bytea NOT NULL,
  created_from float8 NOT NULL,
  created_to float8 NOT NULL,
  started_from float8 NOT NULL,
  started_to float8 NOT NULL,
  PRIMARY KEY (project_id, first_block)
);
ALTER TABLE content_slabs ALTER COLUMN signatures SET STORAGE EXTERNAL;
CREATE TABLE content_states (
  project_id text COLLATE "C" NOT NULL,
  is_complete boolean NOT NULL DEFAULT false,
  since bigint,
  next_created_at timestamptz,
  next_id text COLLATE "C",
  holder text COLLATE "C",
  held_until timestamptz,
  PRIMARY KEY (project_id)
);
`
