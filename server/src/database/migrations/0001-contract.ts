/**
 * The tables of the contract. Every key starts with the project, so that the same id in two projects is two rows.
 *
 * Texts compare by code point ("C") whatever the server's locale, so that an order, its cursors and its index agree.
 * Values that clients read back are `json`, which keeps them as sent, key order included; `jsonb` would not.
 * Steps, threads, scores and attachments are the large tables, between which no statement joins.
 */
export const contract = `
CREATE TABLE projects (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE api_keys (
  hash text COLLATE "C" PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL REFERENCES projects (id),
  name text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE secrets (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE participants (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  identifier text COLLATE "C" NOT NULL,
  metadata json NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
-- Identifiers have any length; an index entry has not.
CREATE UNIQUE INDEX participants_identifier ON participants (project_id, md5(identifier));
CREATE INDEX participants_created ON participants (project_id, created_at, id);

-- token_count to last_step_at sum up the thread's steps; stale says that steps came since.
CREATE TABLE threads (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  name text COLLATE "C",
  metadata json,
  tags text[],
  participant_id text COLLATE "C",
  environment text COLLATE "C",
  created_at timestamptz NOT NULL,
  token_count bigint,
  duration double precision,
  last_step_at timestamptz,
  stale boolean NOT NULL DEFAULT false,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX threads_created ON threads (project_id, created_at, id);
CREATE INDEX threads_participant ON threads (project_id, participant_id) WHERE participant_id IS NOT NULL;
CREATE INDEX threads_stale ON threads (project_id) WHERE stale;

-- A generation is part of its step's row: it has the step's id and never comes without it.
-- left_thread_id is the thread that the last write took the step from, if it did.
-- participant_id repeats the thread's, so that steps can be found by user without a join.
CREATE TABLE steps (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  thread_id text COLLATE "C",
  left_thread_id text COLLATE "C",
  root_run_id text COLLATE "C",
  parent_id text COLLATE "C",
  participant_id text COLLATE "C",
  type text COLLATE "C" NOT NULL,
  name text COLLATE "C",
  start_time timestamptz,
  end_time timestamptz,
  created_at timestamptz NOT NULL,
  input json,
  output json,
  metadata json,
  error text COLLATE "C",
  tags text[],
  environment text COLLATE "C",
  ingested boolean NOT NULL,
  has_generation boolean NOT NULL,
  gen_type text COLLATE "C",
  gen_prompt text COLLATE "C",
  gen_completion text COLLATE "C",
  gen_messages json,
  gen_message_completion json,
  gen_provider text COLLATE "C",
  gen_model text COLLATE "C",
  gen_variables json,
  gen_tools json,
  gen_settings json,
  gen_prompt_id text COLLATE "C",
  gen_token_count bigint,
  gen_input_token_count bigint,
  gen_output_token_count bigint,
  gen_tokens bigint GENERATED ALWAYS AS (coalesce(gen_token_count, gen_input_token_count + gen_output_token_count)) STORED,
  gen_tt_first_token double precision,
  gen_duration double precision,
  gen_token_throughput double precision,
  gen_error text COLLATE "C",
  gen_tags text[],
  gen_metadata json,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX steps_created ON steps (project_id, created_at, id);
CREATE INDEX steps_thread ON steps (project_id, thread_id) WHERE thread_id IS NOT NULL;
CREATE INDEX steps_parent ON steps (project_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX steps_participant ON steps (project_id, participant_id) WHERE participant_id IS NOT NULL;
CREATE INDEX steps_generation ON steps (project_id, created_at, id) WHERE has_generation;

CREATE TABLE scores (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  step_id text COLLATE "C",
  generation_id text COLLATE "C",
  dataset_experiment_item_id text COLLATE "C",
  name text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  value double precision NOT NULL,
  label text COLLATE "C",
  comment text COLLATE "C",
  scorer text COLLATE "C",
  tags text[],
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX scores_created ON scores (project_id, created_at, id);
CREATE INDEX scores_step ON scores (project_id, step_id) WHERE step_id IS NOT NULL;
CREATE INDEX scores_item ON scores (project_id, dataset_experiment_item_id) WHERE dataset_experiment_item_id IS NOT NULL;

CREATE TABLE attachments (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  step_id text COLLATE "C",
  thread_id text COLLATE "C",
  name text COLLATE "C",
  mime text COLLATE "C",
  metadata json,
  object_key text COLLATE "C",
  url text COLLATE "C",
  created_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX attachments_step ON attachments (project_id, step_id) WHERE step_id IS NOT NULL;
CREATE INDEX attachments_thread ON attachments (project_id, thread_id) WHERE thread_id IS NOT NULL;

-- What was signed for upload. size is null until the content is there.
CREATE TABLE files (
  project_id text COLLATE "C" NOT NULL,
  object_key text COLLATE "C" NOT NULL,
  mime text COLLATE "C" NOT NULL,
  size bigint,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, object_key)
);

CREATE TABLE datasets (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  description text COLLATE "C",
  metadata json NOT NULL,
  type text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX datasets_name ON datasets (project_id, md5(name));
CREATE INDEX datasets_created ON datasets (project_id, created_at, id);

CREATE TABLE dataset_items (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  dataset_id text COLLATE "C" NOT NULL,
  step_id text COLLATE "C",
  metadata json NOT NULL,
  input json NOT NULL,
  expected_output json,
  intermediary_steps json NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX dataset_items_dataset ON dataset_items (project_id, dataset_id, created_at, id);

CREATE TABLE experiments (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  dataset_id text COLLATE "C",
  prompt_experiment_id text COLLATE "C",
  params json,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX experiments_dataset ON experiments (project_id, dataset_id);

CREATE TABLE experiment_items (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  experiment_id text COLLATE "C" NOT NULL,
  dataset_item_id text COLLATE "C",
  experiment_run_id text COLLATE "C",
  input json,
  output json,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX experiment_items_experiment ON experiment_items (project_id, experiment_id, created_at, id);

-- rollouts is null until somebody splits the calls: all of them get version 0.
CREATE TABLE prompt_lineages (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  description text COLLATE "C",
  rollouts json,
  created_at timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX prompt_lineages_name ON prompt_lineages (project_id, md5(name));

CREATE TABLE prompt_versions (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  lineage_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  version_desc text COLLATE "C",
  template_messages json NOT NULL,
  tools json,
  settings json,
  variables json NOT NULL,
  variables_default_values json,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX prompt_versions_version ON prompt_versions (project_id, lineage_id, version);

CREATE TABLE prompt_experiments (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  from_lineage_id text COLLATE "C",
  from_version integer,
  score_template_id text COLLATE "C",
  template_messages json,
  tools json,
  settings json,
  variables json,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
`
