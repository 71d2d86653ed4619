/** The environment of tests without settings of the service, which would report those that only the tests read. */
export const withoutSettings: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !name.startsWith('STEPWELL_') && name !== 'DATABASE_URL',
  ),
)
