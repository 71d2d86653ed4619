/**
 * The import that a project came from: the hash of its archive, and the place in it up to which everything is stored. So an
 * import goes on wherever it was ended, and one that is repeated changes nothing.
 */
export const imports = `
ALTER TABLE projects ADD COLUMN imported_archive text COLLATE "C";
ALTER TABLE projects ADD COLUMN imported_bytes bigint;
ALTER TABLE projects ADD COLUMN is_import_complete boolean;
`
