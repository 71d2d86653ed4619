/**
 * Scopes, expiry and last use of keys. Earlier keys may do everything. A revoked key stays, so that it can still be
 * listed.
 */
export const keys = `
ALTER TABLE api_keys ADD COLUMN id text COLLATE "C";
ALTER TABLE api_keys ADD COLUMN prefix text COLLATE "C";
ALTER TABLE api_keys ADD COLUMN scopes text[];
ALTER TABLE api_keys ADD COLUMN expires_at timestamptz;
ALTER TABLE api_keys ADD COLUMN last_used_at timestamptz;
ALTER TABLE api_keys ADD COLUMN revoked_at timestamptz;
UPDATE api_keys SET id = substr(hash, 1, 12), scopes = '{admin}';
ALTER TABLE api_keys ALTER COLUMN id SET NOT NULL;
ALTER TABLE api_keys ALTER COLUMN scopes SET NOT NULL;
CREATE UNIQUE INDEX api_keys_id ON api_keys (id);
CREATE INDEX api_keys_project ON api_keys (project_id, created_at);
`
