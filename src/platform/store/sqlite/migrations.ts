import type { DatabaseSync } from 'node:sqlite'
import { firstTables } from '../schema.ts'
import { tablesToSqlite } from './toSqlite.ts'

/** SQLite's application id of Natter databases: "Natt". */
const applicationId = 0x4e617474

/**
 * Triggers, so that no way to write contacts and messages can miss the indexes. They read the former texts, because removing a
 * row from an index needs exactly what was added.
 */
const searchIndexes = `CREATE TABLE contact_counts (
  bot_id TEXT PRIMARY KEY,
  contacts integer NOT NULL
);
CREATE VIRTUAL TABLE contact_search USING fts5 (name_text, rest_text, digits_text,
  content = 'contacts', content_rowid = 'number', detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1');
CREATE TRIGGER contacts_inserted AFTER INSERT ON contacts BEGIN
  INSERT INTO contact_counts VALUES (new.bot_id, 1) ON CONFLICT DO UPDATE SET contacts = contacts + 1;
  INSERT INTO contact_search (rowid, name_text, rest_text, digits_text)
    VALUES (new.number, new.name_text, new.rest_text, new.digits_text);
END;
CREATE TRIGGER contacts_updated AFTER UPDATE ON contacts
  WHEN (old.name_text, old.rest_text, old.digits_text) <> (new.name_text, new.rest_text, new.digits_text) BEGIN
  INSERT INTO contact_search (contact_search, rowid, name_text, rest_text, digits_text)
    VALUES ('delete', old.number, old.name_text, old.rest_text, old.digits_text);
  INSERT INTO contact_search (rowid, name_text, rest_text, digits_text)
    VALUES (new.number, new.name_text, new.rest_text, new.digits_text);
END;
CREATE TRIGGER contacts_deleted AFTER DELETE ON contacts BEGIN
  UPDATE contact_counts SET contacts = contacts - 1 WHERE bot_id = old.bot_id;
  INSERT INTO contact_search (contact_search, rowid, name_text, rest_text, digits_text)
    VALUES ('delete', old.number, old.name_text, old.rest_text, old.digits_text);
END;
CREATE VIRTUAL TABLE message_search USING fts5 (text, content = 'message_texts', content_rowid = 'number',
  detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1');
CREATE TRIGGER message_texts_inserted AFTER INSERT ON message_texts BEGIN
  INSERT INTO message_search (rowid, text) VALUES (new.number, new.text);
END;
CREATE TRIGGER message_texts_deleted AFTER DELETE ON message_texts BEGIN
  INSERT INTO message_search (message_search, rowid, text) VALUES ('delete', old.number, old.text);
END;
`

const first = `PRAGMA application_id = ${applicationId};
${tablesToSqlite(firstTables + searchIndexes)}`

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

/** Fails with "busy" at once, whatever the timeout, while another process does the same, so it is tried again. */
function useWriteAheadLog(db: DatabaseSync): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let attempt = 1; ; attempt++) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (attempt === 100) throw error
      Atomics.wait(pause, 0, 0, 20)
    }
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
