// The commands of the command line. Their modules are read when they run, so that a service starts without them.
import type { Check } from './doctor/check.js'

/** Runs `stepwell migrate`. Returns the exit code. */
export const migrate = async (args: readonly string[]): Promise<number> =>
  (await import('./migrate.js')).migrate(args)

/** Runs `stepwell project …`, `stepwell key …` and `stepwell audit …`. Returns the exit code. */
export const operate = async (
  noun: 'project' | 'key' | 'audit',
  args: readonly string[],
): Promise<number> => (await import('./operate.js')).operate(noun, args)

/** Runs `stepwell otel …`. Returns the exit code. */
export const otel = async (args: readonly string[]): Promise<number> =>
  (await import('./otel.js')).otel(args)

/** Runs `stepwell sign-in`. Returns the exit code. */
export const signIn = async (args: readonly string[]): Promise<number> =>
  (await import('./sign-in.js')).signIn(args)

/** Runs `stepwell export`. Returns the exit code. */
export const exportProject = async (args: readonly string[]): Promise<number> =>
  (await import('./moving/export.js')).exportCommand(args)

/** Runs `stepwell import`. Returns the exit code. */
export const importProject = async (args: readonly string[]): Promise<number> =>
  (await import('./moving/import.js')).importCommand(args)

/** Runs `stepwell backup`. Returns the exit code. */
export const backup = async (args: readonly string[]): Promise<number> =>
  (await import('./moving/backup.js')).backupCommand(args)

/** Runs `stepwell restore`. Returns the exit code. */
export const restore = async (args: readonly string[]): Promise<number> =>
  (await import('./moving/restore.js')).restoreCommand(args)

/** Runs `stepwell move`. Returns the exit code. */
export const move = async (args: readonly string[]): Promise<number> =>
  (await import('./moving/move.js')).moveCommand(args)

/** Returns the checks of `stepwell doctor --service`, which the command line of the SDK runs. */
export const serviceChecks = async (
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  isReadOnly: boolean,
): Promise<readonly Check[]> =>
  (await import('./doctor/checks.js')).checksOfService(args, environment, isReadOnly)
