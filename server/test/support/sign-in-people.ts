import type { Database } from '../../src/database/database.js'
import { People } from '../../src/domain/access/people.js'
import { SignedInPeople } from '../../src/domain/access/signed-in-people.js'

/** Sends every statement about people who sign in with a provider: they come, use a project, are refused and leave. */
export const signInPeople = async (db: Database, projectId: string): Promise<void> => {
  const clock = () => new Date().toISOString()
  const report = (error: unknown) => {
    throw error
  }
  const people = new People(db, clock, { secret: 's', rules: 'r', sessionHours: 1, report })
  const person = { id: 'sub', name: 'Ada' }
  const { token } = await people.signIn(person, [{ project: '*', role: 'editor' }])
  await people.projects(token)
  await people.check(token, projectId)
  await people.end(token)
  await people.signIn(person, [{ project: '*', role: 'viewer' }])
  const operator = new SignedInPeople(db, clock)
  await operator.list()
  await operator.signOut(person.id)
  await people.refuse(person, projectId, 'no-role')
}
