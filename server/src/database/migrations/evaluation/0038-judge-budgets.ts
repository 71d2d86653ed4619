import { type Migration, sql } from 'kysely'

/** The budget that the last worker of a judge named, and the day on which it was found to be used up. */
export const judgeBudgets: Migration = {
  async up(db) {
    await sql`ALTER TABLE judges
      ADD COLUMN budget_judgements integer,
      ADD COLUMN budget_tokens float8,
      ADD COLUMN budget_dollars float8,
      ADD COLUMN spent_on text COLLATE "C"`.execute(db)
  },
}
