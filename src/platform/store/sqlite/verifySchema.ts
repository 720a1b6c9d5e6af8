import { DatabaseSync } from 'node:sqlite'
import { migrate } from './migrations.ts'

/**
 * Throws if a database from elsewhere is damaged, or has other tables, indexes, views or triggers than Natter creates:
 * a foreign trigger would run with every write.
 */
export function verifySchema(db: DatabaseSync, name: string): void {
  const [problem] = db.prepare('PRAGMA integrity_check(1)').all()
  if (problem?.['integrity_check'] !== 'ok') throw new Error(`${name} is damaged.`)
  if (db.prepare('PRAGMA foreign_key_check').get() !== undefined)
    throw new Error(`${name} is damaged: it refers to rows that it does not hold.`)
  const own = new DatabaseSync(':memory:')
  try {
    migrate(own)
    if (schemaOf(db) !== schemaOf(own)) throw new Error(`${name} does not hold the tables that Natter makes.`)
  } finally {
    own.close()
  }
}

function schemaOf(db: DatabaseSync): string {
  return JSON.stringify(db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all())
}
