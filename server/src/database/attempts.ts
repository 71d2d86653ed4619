import { isConflict } from './failures.js'

const MAX_ATTEMPTS = 5

/** Runs a transaction again when it conflicted with others that lock the same rows in another order: five times at most. */
export const inAttempts = async <Result>(transaction: () => Promise<Result>): Promise<Result> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await transaction()
    } catch (error) {
      if (!isConflict(error) || attempt >= MAX_ATTEMPTS) throw error
    }
}
