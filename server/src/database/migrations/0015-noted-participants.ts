/**
 * The participants whose data a row has, besides the participant of its thread: the first one of its thread, and those
 * from whose steps a copy was made, noted when the row that told it is deleted. By these, all data of a person is found.
 */
export const notedParticipants = `
ALTER TABLE threads ADD COLUMN noted_participants text[] COLLATE "C";
ALTER TABLE steps ADD COLUMN noted_participants text[] COLLATE "C";
ALTER TABLE dataset_items ADD COLUMN noted_participants text[] COLLATE "C";
ALTER TABLE experiment_items ADD COLUMN noted_participants text[] COLLATE "C";
CREATE INDEX threads_noted ON threads USING gin (noted_participants) WHERE noted_participants IS NOT NULL;
CREATE INDEX steps_noted ON steps USING gin (noted_participants) WHERE noted_participants IS NOT NULL;
CREATE INDEX dataset_items_noted ON dataset_items USING gin (noted_participants) WHERE noted_participants IS NOT NULL;
CREATE INDEX experiment_items_noted ON experiment_items USING gin (noted_participants)
  WHERE noted_participants IS NOT NULL;
CREATE INDEX dataset_items_step ON dataset_items (project_id, step_id) WHERE step_id IS NOT NULL;
CREATE INDEX experiment_items_item ON experiment_items (project_id, dataset_item_id)
  WHERE dataset_item_id IS NOT NULL;
CREATE INDEX experiment_items_run ON experiment_items (project_id, experiment_run_id)
  WHERE experiment_run_id IS NOT NULL;
`
