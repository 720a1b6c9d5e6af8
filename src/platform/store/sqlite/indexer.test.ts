import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { normalizeQuery } from '../../search/searchNormalization.ts'
import { readSearchTerms } from '../../testing/store/readSearchTerms.ts'
import { at, newBot, newContact } from '../../testing/store/storeTenants.ts'
import { methodsOf } from '../queries/methods.ts'
import { openDatabase } from './connection.ts'
import { createContactRows } from './contactRows.ts'
import { createDatabase } from './database.ts'
import { createIndexer } from './indexer.ts'
import { migrate } from './migrations.ts'
import { searchReads } from './search.ts'
import { defaultSearchLimits } from './searchLimits.ts'
import { createSqliteStore } from './sqliteStore.ts'
import { toTokens } from './trigrams.ts'

describe('createIndexer', () => {
  let folder: string
  let file: string
  let db: DatabaseSync
  const bot = newBot('acme')
  const scope = { organizationId: 'acme', botId: bot.id }
  const methods = () => methodsOf(createDatabase(db), createContactRows(db))
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
    file = join(folder, 'store.db')
    db = openDatabase({ file, busyTimeoutMs: 1, durable: true })
    migrate(db)
    const { createOrganization, createBot } = methods()
    await createOrganization({ id: 'acme', name: 'Acme', createdAt: at(0) })
    await createBot(bot)
  })
  afterEach(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })

  async function add(...names: string[]) {
    const { createContact } = methods()
    db.exec('BEGIN')
    const contacts = names.map(name => newContact(name))
    for (const contact of contacts) await createContact(scope, contact)
    db.exec('COMMIT')
    return contacts
  }
  function indexAll(): void {
    const indexer = createIndexer(db, true)
    while (indexer.step());
  }
  /** The names of the contacts that are found, or `needs_scan`. */
  async function find(term: string): Promise<string[] | string> {
    const { searchIndexed } = searchReads(db, { ...defaultSearchLimits, scanned: 0 })
    const found = await searchIndexed(scope, { ...normalizeQuery(term), page: 1, limit: 100 })
    return typeof found === 'string' ? found : found.contacts.map(({ name }) => name).sort()
  }
  const queued = () => Number(db.prepare('SELECT count(*) AS n FROM search_index_queue').get()?.['n'])
  const indexed = (term: string) =>
    db.prepare('SELECT rowid FROM contact_search WHERE contact_search MATCH ?').all(`"1x${term}"`).length

  it('finds a contact before and after it is indexed', async () => {
    await add('Ada Lovelace', 'Grace Hopper')
    expect([queued(), indexed('lov')]).toEqual([2, 0])
    expect(await find('lovelace')).toEqual(['Ada Lovelace'])
    indexAll()
    expect([queued(), indexed('lov')]).toEqual([0, 1])
    expect(await find('lovelace')).toEqual(['Ada Lovelace'])
    expect(await find('example.com')).toEqual(['Ada Lovelace', 'Grace Hopper'])
  })

  it('finds a contact by its current values while the index still has the old ones', async () => {
    const [ada] = await add('Ada Byron')
    indexAll()
    const { updateContact } = methods()
    await updateContact({ ...scope, contactId: ada?.id ?? '' }, { name: 'Ada Lovelace', updatedAt: at(5) })
    for (const step of [() => {}, indexAll]) {
      step()
      expect(await find('byron')).toEqual([])
      expect(await find('lovelace')).toEqual(['Ada Lovelace'])
    }
    expect([indexed('byr'), indexed('lov')]).toEqual([0, 1])
    await updateContact({ ...scope, contactId: ada?.id ?? '' }, { name: 'Ada Lovelace', updatedAt: at(6) })
    expect(queued()).toBe(0)
  })

  it('forgets a deleted contact, even if another one gets its number', async () => {
    const [ada] = await add('Ada Byron')
    indexAll()
    await methods().deleteContact({ ...scope, contactId: ada?.id ?? '' }, at(5))
    expect(await find('byron')).toEqual([])
    await add('Grace Hopper')
    for (const step of [() => {}, indexAll]) {
      step()
      expect(await find('byron')).toEqual([])
      expect(await find('hopper')).toEqual(['Grace Hopper'])
    }
    expect([indexed('byr'), indexed('hop')]).toEqual([0, 1])
  })

  it('works in small steps, and keeps the part that every search reads small', async () => {
    const indexer = createIndexer(db, true)
    expect(indexer.hasBacklog()).toBe(false)
    await add(...Array.from({ length: 2500 }, (_, index) => `Ada ${index}`))
    expect(indexer.hasBacklog()).toBe(true)
    indexer.step()
    expect(queued()).toBeLessThan(2500)
    expect(queued()).toBeGreaterThan(2000)
    while (indexer.step());
    expect([queued(), indexer.hasBacklog()]).toEqual([0, false])
    const segments = db.prepare('SELECT count(DISTINCT segid) AS n FROM contact_search_idx').get()?.['n']
    expect(Number(segments)).toBeLessThan(10)
    expect(indexer.step()).toBe(false)
  })

  it('leaves terms that many contacts contain to a scan', async () => {
    await add('Grace Zyxwvu', 'Ada Zyxwvu', ...Array.from({ length: 1001 }, (_, index) => `Ada ${index}`))
    expect(await find('ada')).toHaveLength(100)
    indexAll()
    expect(await find('ada')).toBe('needs_scan')
    expect(await find('ad')).toBe('needs_scan')
    expect(await find('ada xwv')).toEqual(['Ada Zyxwvu'])
  })

  it('stores only current values of contacts in its file, and nothing of old values or deleted contacts', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `Ada ${index} ${randomUUID()}`)
    const contacts = await add(...names)
    indexAll()
    await add('Zyxwvu')
    const { updateContact, deleteContact } = methods()
    for (const [index, { id }] of contacts.entries()) {
      const contact = { ...scope, contactId: id }
      if (index % 3 === 0) await deleteContact(contact, at(5))
      if (index % 3 === 1) await updateContact(contact, { name: `Grace ${randomUUID()}`, updatedAt: at(5) })
      // In the end the file is as it was.
      if (index % 9 === 1) await updateContact(contact, { name: names[index] ?? '', updatedAt: at(6) })
    }
    await add('Grace Hopper', '絵文字')
    const indexer = createIndexer(db, true)
    expect(indexer.holdsDeletedText()).toBe(true)
    while (indexer.step());
    expect(indexer.holdsDeletedText()).toBe(false)
    const texts = db.prepare('SELECT name, rest, digits FROM contact_search_docs').all() as Record<string, string>[]
    const tokens = new Set(texts.flatMap(row => toTokens(1, Object.values(row)).split('\n')))
    tokens.delete('')
    expect(readSearchTerms(db)).toEqual(tokens)
    expect(db.prepare('SELECT count(*) AS n FROM contact_search').get()).toEqual({ n: texts.length })
    db.exec(`INSERT INTO contact_search (contact_search) VALUES ('integrity-check')`)
    for (const [index, name] of names.entries()) {
      if (index % 9 === 1 || index % 3 === 2) expect(await find(name.slice(-36))).toEqual([name])
    }
  })

  it('continues after a restart with what a killed process left', async () => {
    await add('Ada Lovelace')
    db.close()
    const store = await createSqliteStore({ file })
    db = openDatabase({ file, busyTimeoutMs: 1, durable: true })
    while (queued() > 0) await new Promise(setImmediate)
    expect(indexed('lov')).toBe(1)
    await store.close()
  })
})
