/**
 * Projects that were deleted lately: requests that were admitted before, in any process, may store more of them, which is
 * removed again.
 */
export const deletedProjects = `
CREATE TABLE deleted_projects (
  id text COLLATE "C" PRIMARY KEY,
  deleted_at timestamptz NOT NULL
)
`
