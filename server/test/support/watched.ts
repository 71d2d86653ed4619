import type { Database } from '../../src/database/database.js'

/** The database of a process of which each statement waits for a function, which gets its text and its parameters. */
export const watched = (
  db: Database,
  before: (statement: string, parameters: readonly unknown[]) => Promise<void>,
): Database => {
  const executor = db.getExecutor()
  const executeQuery: typeof executor.executeQuery = async (query) => {
    await before(query.sql, query.parameters)
    return executor.executeQuery<never>(query)
  }
  return replaced(db, { getExecutor: () => replaced(executor, { executeQuery }) })
}

/** Returns an object with other methods in the place of some. */
export const replaced = <Value extends object>(value: Value, methods: Partial<Value>): Value =>
  new Proxy(value, {
    get: (target, key) => {
      const member = Reflect.get(methods, key) ?? Reflect.get(target, key)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
