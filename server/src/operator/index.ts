// The commands of the command line. Their modules are read when they run, so that a service starts without them.

/** Runs `stepwell migrate`. Returns the exit code. */
export const migrate = async (args: readonly string[]): Promise<number> =>
  (await import('./migrate.js')).migrate(args)

/** Runs `stepwell project …` and `stepwell key …`. Returns the exit code. */
export const operate = async (noun: 'project' | 'key', args: readonly string[]): Promise<number> =>
  (await import('./operate.js')).operate(noun, args)

/** Runs `stepwell otel …`. Returns the exit code. */
export const otel = async (args: readonly string[]): Promise<number> =>
  (await import('./otel.js')).otel(args)

/** Runs `stepwell sign-in`. Returns the exit code. */
export const signIn = async (args: readonly string[]): Promise<number> =>
  (await import('./sign-in.js')).signIn(args)
