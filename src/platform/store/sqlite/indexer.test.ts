import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { normalizeQuery } from '../../search/searchNormalization.ts'
import { readSearchTerms } from '../../testing/store/readSearchTerms.ts'
import { at, newBot, newContact } from '../../testing/store/storeTenants.ts'
import { openDatabase } from './connection.ts'
import { contactWrites } from './contacts.ts'
import { createIndexer } from './indexer.ts'
import { migrate } from './migrations.ts'
import { organizationWrites } from './organizations.ts'
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
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
    file = join(folder, 'store.db')
    db = openDatabase({ file, busyTimeoutMs: 1, durable: true })
    migrate(db)
    const { createOrganization, createBot } = organizationWrites(db)
    createOrganization({ id: 'acme', name: 'Acme', createdAt: at(0) })
    createBot(bot)
  })
  afterEach(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })

  function add(...names: string[]) {
    const { createContact } = contactWrites(db)
    db.exec('BEGIN')
    const contacts = names.map(name => newContact(name))
    for (const contact of contacts) createContact(scope, contact)
    db.exec('COMMIT')
    return contacts
  }
  function indexAll(): void {
    const indexer = createIndexer(db, true)
    while (indexer.step());
  }
  /** The names of the contacts that are found, or `needs_scan`. */
  function find(term: string): string[] | string {
    const { searchIndexed } = searchReads(db, { ...defaultSearchLimits, scanned: 0 })
    const found = searchIndexed(scope, { ...normalizeQuery(term), page: 1, limit: 100 })
    return typeof found === 'string' ? found : found.contacts.map(({ name }) => name).sort()
  }
  const queued = () => Number(db.prepare('SELECT count(*) AS n FROM search_index_queue').get()?.['n'])
  const indexed = (term: string) =>
    db.prepare('SELECT rowid FROM contact_search WHERE contact_search MATCH ?').all(`"1x${term}"`).length

  it('finds a contact before and after it is indexed', () => {
    add('Ada Lovelace', 'Grace Hopper')
    expect([queued(), indexed('lov')]).toEqual([2, 0])
    expect(find('lovelace')).toEqual(['Ada Lovelace'])
    indexAll()
    expect([queued(), indexed('lov')]).toEqual([0, 1])
    expect(find('lovelace')).toEqual(['Ada Lovelace'])
    expect(find('example.com')).toEqual(['Ada Lovelace', 'Grace Hopper'])
  })

  it('finds a contact by its current values while the index still has the old ones', () => {
    const [ada] = add('Ada Byron')
    indexAll()
    const { updateContact } = contactWrites(db)
    updateContact({ ...scope, contactId: ada?.id ?? '' }, { name: 'Ada Lovelace', updatedAt: at(5) })
    for (const step of [() => {}, indexAll]) {
      step()
      expect(find('byron')).toEqual([])
      expect(find('lovelace')).toEqual(['Ada Lovelace'])
    }
    expect([indexed('byr'), indexed('lov')]).toEqual([0, 1])
    updateContact({ ...scope, contactId: ada?.id ?? '' }, { name: 'Ada Lovelace', updatedAt: at(6) })
    expect(queued()).toBe(0)
  })

  it('forgets a deleted contact, even if another one gets its number', () => {
    const [ada] = add('Ada Byron')
    indexAll()
    contactWrites(db).deleteContact({ ...scope, contactId: ada?.id ?? '' }, at(5))
    expect(find('byron')).toEqual([])
    add('Grace Hopper')
    for (const step of [() => {}, indexAll]) {
      step()
      expect(find('byron')).toEqual([])
      expect(find('hopper')).toEqual(['Grace Hopper'])
    }
    expect([indexed('byr'), indexed('hop')]).toEqual([0, 1])
  })

  it('works in small steps, and keeps the part that every search reads small', () => {
    const indexer = createIndexer(db, true)
    expect(indexer.hasBacklog()).toBe(false)
    add(...Array.from({ length: 2500 }, (_, index) => `Ada ${index}`))
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

  it('leaves terms that many contacts contain to a scan', () => {
    add('Grace Zyxwvu', 'Ada Zyxwvu', ...Array.from({ length: 1001 }, (_, index) => `Ada ${index}`))
    expect(find('ada')).toHaveLength(100)
    indexAll()
    expect(find('ada')).toBe('needs_scan')
    expect(find('ad')).toBe('needs_scan')
    expect(find('ada xwv')).toEqual(['Ada Zyxwvu'])
  })

  it('stores only current values of contacts in its file, and nothing of old values or deleted contacts', () => {
    const names = Array.from({ length: 300 }, (_, index) => `Ada ${index} ${randomUUID()}`)
    const contacts = add(...names)
    indexAll()
    add('Zyxwvu')
    const { updateContact, deleteContact } = contactWrites(db)
    for (const [index, { id }] of contacts.entries()) {
      const contact = { ...scope, contactId: id }
      if (index % 3 === 0) deleteContact(contact, at(5))
      if (index % 3 === 1) updateContact(contact, { name: `Grace ${randomUUID()}`, updatedAt: at(5) })
      // In the end the file is as it was.
      if (index % 9 === 1) updateContact(contact, { name: names[index] ?? '', updatedAt: at(6) })
    }
    add('Grace Hopper', '絵文字')
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
      if (index % 9 === 1 || index % 3 === 2) expect(find(name.slice(-36))).toEqual([name])
    }
  })

  it('continues after a restart with what a killed process left', async () => {
    add('Ada Lovelace')
    db.close()
    const store = await createSqliteStore({ file })
    db = openDatabase({ file, busyTimeoutMs: 1, durable: true })
    while (queued() > 0) await new Promise(setImmediate)
    expect(indexed('lov')).toBe(1)
    await store.close()
  })
})
