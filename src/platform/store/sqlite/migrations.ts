import type { DatabaseSync } from 'node:sqlite'
import { firstTables } from '../schema.ts'
import { tablesToSqlite } from './toSqlite.ts'
import { fullTextOptions } from './trigrams.ts'
import { useWriteAheadLog } from './writeAheadLog.ts'

/** SQLite's application id of Natter databases: "Natt". */
const applicationId = 0x4e617474

const botColumns = `number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  contact_count INTEGER NOT NULL DEFAULT 0`

const contacts = `CREATE TABLE contacts (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL,
  bot_id TEXT NOT NULL,
  email_key TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  phone TEXT NOT NULL,
  mid TEXT NOT NULL,
  wid TEXT NOT NULL,
  -- What the organization's server has set, as JSON; NULL if nothing.
  attributes TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (organization_id, email_key)
) STRICT;

-- A bot's contacts in search order, with the normalized texts that a search compares. A scan of all of them takes a
-- fraction of a second.
CREATE TABLE contact_search_docs (
  bot INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  id TEXT NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  rest TEXT NOT NULL,
  digits TEXT NOT NULL,
  PRIMARY KEY (bot, created_at, id)
) STRICT, WITHOUT ROWID;

-- Full-text index by contact number. It may be out of date: a search compares the contacts it finds with the term, and
-- also those in search_index_queue. Deleted text is removed from the file immediately.
CREATE VIRTUAL TABLE contact_search USING fts5 (text, ${fullTextOptions});
-- Segments are merged in steps while the writer is idle, never during a write.
INSERT INTO contact_search (contact_search, rank) VALUES ('automerge', 0), ('crisismerge', 1999), ('secure-delete', 1);
-- The texts are those still in contact_search, NULL if there are none.
CREATE TABLE search_index_queue (
  bot INTEGER NOT NULL,
  number INTEGER NOT NULL,
  name TEXT,
  rest TEXT,
  digits TEXT,
  PRIMARY KEY (bot, number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER contacts_removed AFTER DELETE ON contacts BEGIN
  UPDATE bots SET contact_count = contact_count - 1 WHERE id = old.bot_id;
  INSERT OR IGNORE INTO search_index_queue (bot, number, name, rest, digits)
    SELECT bot, number, name, rest, digits FROM contact_search_docs
    WHERE bot = (SELECT number FROM bots WHERE id = old.bot_id) AND created_at = old.created_at AND id = old.id;
  DELETE FROM contact_search_docs WHERE bot = (SELECT number FROM bots WHERE id = old.bot_id)
    AND created_at = old.created_at AND id = old.id;
END;
`

const first = `PRAGMA application_id = ${applicationId};
${tablesToSqlite(firstTables({ botColumns, contacts }))}`

/**
 * The migrations in order. A change of the tables adds one at the end, here and in `../postgres/migrations.ts`. Never
 * change a released one.
 */
export const migrations: string[] = [first]

/**
 * Migrates the file to this version in one transaction, which other processes wait for. Several processes may open the
 * file at once. Throws if the file is of a newer version.
 */
export function migrate(db: DatabaseSync, all = migrations): void {
  // Checks the file before the first change.
  if (isFilled(db)) checkOwn(db, undefined, all.length)
  // Only new files can have another page size. Larger pages halve the number of reads of a scan.
  else db.exec('PRAGMA page_size = 8192')
  useWriteAheadLog(db)
  if (pragma(db, 'user_version') === all.length) return
  db.exec('BEGIN IMMEDIATE')
  try {
    const version = pragma(db, 'user_version')
    if (version > 0) checkOwn(db, undefined, all.length)
    for (const migration of all.slice(version)) db.exec(migration)
    db.exec(`PRAGMA user_version = ${all.length}`)
    db.exec('COMMIT')
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

/** Throws if the file is not a Natter database, or one with more migrations than `newest`; default: this version's. */
export function checkOwn(db: DatabaseSync, name = 'This file', newest = migrations.length): void {
  const version = pragma(db, 'user_version')
  if (pragma(db, 'application_id') !== applicationId || version === 0)
    throw new Error(`${name} is no database of Natter.`)
  if (version > newest) throw new Error(`${name} was written by a newer version of Natter. Update Natter.`)
}

/** Throws as `checkOwn` does, and if the file lacks migrations. */
export function requireCurrent(db: DatabaseSync): void {
  checkOwn(db)
  if (pragma(db, 'user_version') < migrations.length)
    throw new Error('This file was written by an older version of Natter. Run "natter migrate" on it first.')
}

function isFilled(db: DatabaseSync): boolean {
  return pragma(db, 'user_version') > 0 || db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name])
}
