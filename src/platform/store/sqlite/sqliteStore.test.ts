import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mintContactToken, mintOrganizationToken, mintVisitorToken, tokenPrefixLength } from '../../domain/tokens.ts'
import { search } from '../../testing/store/listingSuite.ts'
import { describeOverload } from '../../testing/store/overloadSuite.ts'
import { describeStore } from '../../testing/store/storeSuite.ts'
import {
  at,
  createTestTenants,
  newContact,
  newMessage,
  newSession,
  newToken,
  signIn,
  smallLimits,
} from '../../testing/store/storeTenants.ts'
import { createTemporaryFolder } from '../../testing/temporaryFolder.ts'
import { monotonicMs, runInContext } from '../callContext.ts'
import { type BotScope, type Store, StoreBusyError, StoreUnavailableError } from '../store.ts'
import { createSqliteStore } from './sqliteStore.ts'

const folder = createTemporaryFolder()
let count = 0
const newFile = () => join(folder, `${++count}.db`)

/** A store that is closed when the test has finished. */
async function open(file = ':memory:', options: Partial<Parameters<typeof createSqliteStore>[0]> = {}) {
  const store = await createSqliteStore({ file, ...options })
  onTestFinished(() => store.close())
  return createTestTenants(store)
}
const countAll = async (store: Store, scope: BotScope, query = '') => (await search(store, scope, query)).total

// Nothing of this depends on what is on disk, and writing nothing to it takes a tenth of the time.
describeStore('createSqliteStore', () => createSqliteStore({ file: ':memory:', limits: smallLimits }))
describeOverload('createSqliteStore while another process holds the lock', async () => {
  const file = newFile()
  return {
    store: await createSqliteStore({ file, busyTimeoutMs: 100_000 }),
    async block() {
      const other = new DatabaseSync(file, { timeout: 10_000 })
      other.exec('BEGIN IMMEDIATE')
      return async () => other.close()
    },
  }
})
/** Whether any file of these tests contains the text: databases, their logs and other files beside them. */
function isInFiles(text: string): boolean {
  const files = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isFile())
  return files.some(({ name }) => readFileSync(join(folder, name)).includes(text))
}

/** Runs a program in a separate process, with the store's module and the file as its arguments. */
function program(code: string, file: string): string[] {
  const start = `import { pathToFileURL } from 'node:url'
    const { createSqliteStore } = await import(pathToFileURL(process.argv[1]))
    const store = await createSqliteStore({ file: process.argv[2] })\n`
  return ['--input-type=module', '-e', start + code, join(import.meta.dirname, 'sqliteStore.ts'), file]
}

const insertOrganization = `await store.createOrganization({ id: String(process.pid), name: 'N', createdAt: '' })
  await store.close()`

describe('createSqliteStore', () => {
  it('has all data again after it was closed', async () => {
    const file = newFile()
    const before = await createSqliteStore({ file })
    const { ours } = await createTestTenants(before)
    const { scope, hash, conversationId, contact, send } = await signIn(before, ours)
    await send()
    await before.close()
    expect(readdirSync(folder).filter(name => name.startsWith(`${count}.db-`))).toEqual([])

    const { store: after } = await open(file)
    expect(await after.findContact(scope)).toEqual(contact)
    expect(await after.findSession(hash)).toMatchObject({ conversationId })
    expect(await after.listMessages(conversationId, { limit: 9 })).toMatchObject([{ text: 'hello', seq: 1 }])
    expect(await after.leaseTurns('me', at(4), at(9), 9)).toMatchObject([{ conversationId }])
    expect(await search(after, ours, 'ada')).toEqual({ contacts: [contact], total: 1 })
  })

  it('loses nothing acknowledged when its process is killed under load', async () => {
    const file = newFile()
    const store = await createSqliteStore({ file })
    const { ours } = await createTestTenants(store)
    await store.close()
    const code = `let count = 0
      const run = async () => {
        for (;;) {
          const n = ++count
          const entries = [0, 1, 2].map(part => {
            const email = n + '-' + part + '@e.org'
            return { id: n + '-' + part, name: 'N', email, emailKey: email, createdAt: '', updatedAt: '' }
          })
          await store.upsertContacts(${JSON.stringify(ours)}, entries)
          console.log(n)
        }
      }
      for (let i = 0; i < 8; i++) run()`
    const child = spawn(process.execPath, program(code, file), { stdio: ['ignore', 'pipe', 'inherit'] })
    const acknowledged: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      if (acknowledged.push(line) === 200) child.kill('SIGKILL')
    }

    const { store: reopened } = await open(file)
    const parts = async (n: string) => {
      const ids = ['0', '1', '2'].map(part => reopened.findContact({ ...ours, contactId: `${n}-${part}` }))
      return (await Promise.all(ids)).filter(found => found !== null).length
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(200)
    for (const n of acknowledged) expect(await parts(n), n).toBe(3)
    // Writes that were running are complete or missing.
    for (let index = 1; index <= acknowledged.length + 8; index++)
      expect([0, 3], `${index}`).toContain(await parts(`${index}`))
  })

  it('can be opened for the first time by several processes concurrently', async () => {
    const file = newFile()
    const run = promisify(execFile)
    const results = await Promise.all([1, 2, 3].map(() => run(process.execPath, program(insertOrganization, file))))
    expect(results.map(({ stderr }) => stderr)).toEqual(['', '', ''])
    const store = await createSqliteStore({ file })
    expect(await store.listOrganizations()).toHaveLength(3)
    await store.close()
  })

  it('reads the parts of files without holding up other requests', async () => {
    const { store } = await open(newFile())
    let isRead = false
    const reading = store.readFilePart('conversation', 'file', 0).finally(() => (isRead = true))
    // A read on this thread would be over before anything but microtasks could run.
    for (let turn = 0; turn < 100; turn++) await Promise.resolve()
    expect(isRead).toBe(false)
    expect(await reading).toBeNull()
  })

  it('sees immediately what another process has written', async () => {
    const file = newFile()
    const { store, ours } = await open(file)
    const { store: commandLine } = await open(file)
    const { hash } = await signIn(store, ours)
    await commandLine.endSession(ours.botId, hash, 'revoked', at(5))
    expect((await store.findSession(hash))?.ended?.reason).toBe('revoked')
  })

  it('rolls back only the failing one of several concurrent writes', async () => {
    const { store, ours } = await open()
    const rows = Array.from({ length: 20 }, (_, index) => newContact(`N${index}`))
    // Fails at its second entry, whose id already exists then.
    const half = [newContact('Half'), newContact('Half')].map(row => ({ ...row, id: 'the same' }))
    const outcomes = await Promise.allSettled(
      rows.flatMap((row, index): Promise<unknown>[] => [
        store.createContact(ours, row),
        ...(index === 10 ? [store.upsertContacts(ours, half)] : []),
      ]),
    )
    const refused = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused).toHaveLength(1)
    expect(refused[0]).not.toBeInstanceOf(StoreUnavailableError)
    expect([await countAll(store, ours), await countAll(store, ours, 'half')]).toEqual([20, 0])
  })

  it('writes what comes after large upserts before the last of them', async () => {
    const { store, ours } = await open()
    const written: string[] = []
    const upsert = (name: string) => {
      const rows = Array.from({ length: 1000 }, () => newContact(name))
      return store.upsertContacts(ours, rows).then(() => written.push(name))
    }
    const upserts = [upsert('first'), upsert('second')]
    await store.createContact(ours, newContact('Ada')).then(() => written.push('contact'))
    await Promise.all(upserts)
    expect(written.indexOf('contact')).toBeLessThan(written.indexOf('second'))
  })

  it('reports that it is unavailable while another process locks the file, and recovers by itself', async () => {
    const file = newFile()
    const { store, ours } = await open(file, { busyTimeoutMs: 1 })
    const other = new DatabaseSync(file, { timeout: 10_000 })
    other.exec('BEGIN IMMEDIATE')
    const contact = newContact('Ada')
    await expect(store.createContact(ours, contact)).rejects.toThrow(StoreUnavailableError)
    expect(await store.findBot(ours.botId)).not.toBeNull()
    other.exec('ROLLBACK')
    other.close()
    expect(await store.createContact(ours, contact)).toMatchObject({ value: { id: contact.id } })
  })

  it('reports that it is unavailable while the file is damaged, and recovers by itself', async () => {
    const file = newFile()
    const { store, ours } = await open(file)
    const rows = Array.from({ length: 300 }, (_, index) => newContact(`Lovelace ${index}`))
    await Promise.all(rows.map(row => store.createContact(ours, row)))
    const checkpoint = new DatabaseSync(file, { timeout: 10_000 })
    checkpoint.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    checkpoint.close()
    const whole = readFileSync(file)
    writeFileSync(file, Buffer.from(whole).fill(0xff, 4096), { flag: 'r+' })
    await expect(search(store, ours, 'lovelace')).rejects.toThrow(StoreUnavailableError)
    writeFileSync(file, whole, { flag: 'r+' })
    expect(await store.createContact(ours, newContact('Grace'))).toMatchObject({ value: { name: 'Grace' } })
    expect(await countAll(store, ours, 'lovelace')).toBe(300)
  })

  it('delays an organization with very many calls, but no others', async () => {
    const { store, ours, otherOrganization } = await open()
    const { scope, send } = await signIn(store, ours)
    await send()
    let answered = 0
    const greedy = [
      ...Array.from({ length: 200 }, () => () => store.listConversations(ours, { limit: 100 })),
      ...Array.from({ length: 20 }, () => () => store.exportContact(scope)),
      ...Array.from({ length: 20 }, () => () => search(store, ours, 'ada')),
    ].map(async ask => {
      await ask()
      answered++
    })
    const outcomes = Promise.allSettled(greedy)
    const answers = [search(store, otherOrganization, 'ada'), store.listConversations(otherOrganization, { limit: 1 })]
    const before = await Promise.all(answers.map(answer => answer.then(() => answered)))
    for (const count of before) expect(count).toBeLessThan(20)
    const refused = (await outcomes).flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused.length).toBeGreaterThan(100)
    for (const error of refused) expect(error).toBeInstanceOf(StoreBusyError)
    expect(await store.listConversations(ours, { limit: 100 })).toHaveLength(1)
  })

  it("starts its readers' threads when it is asked to, so that their start does not count for the first reads", async () => {
    const { store, ours } = await open()
    const starting = store.startReaders?.()
    expect(store.queueDepth()).toBe(2)
    await starting
    expect(store.queueDepth()).toBe(0)
    expect(await countAll(store, ours)).toBe(0)
    // They have started already.
    await store.startReaders?.()
  })

  describe('a long search', () => {
    /** A store whose contacts take long to compare with the words of `search`, which stand at the end of their names. */
    async function openForLongSearch() {
      const { store, ours } = await open()
      const { hash } = await signIn(store, ours)
      for (let count = 0; count < 3; count++) {
        const rows = Array.from({ length: 1000 }, () => newContact(`${'a'.repeat(200)}b`))
        await store.upsertContacts(ours, rows)
      }
      const word = (name: string) => ({ name, rest: '' })
      const many = [...Array.from({ length: 400 }, () => word('ab')), word('zq')]
      const search = (others = many) =>
        store.searchContacts(ours, { words: [word('ab'), ...others], page: 1, limit: 1 })
      return { store, hash, search }
    }

    it('ends at its deadline, and the next one runs', async () => {
      const { store, search } = await openForLongSearch()
      await store.startReaders?.()
      // Without a deadline the search takes about twenty times as long.
      const late = runInContext({ owner: 'o', deadline: monotonicMs() + 50 }, () => search())
      await expect(late).rejects.toThrow(StoreUnavailableError)
      expect(await search([])).toMatchObject({ total: 3000 })
    })

    it('does not delay the sweep', async () => {
      const { store, hash, search } = await openForLongSearch()
      const sweep = () => store.sweep({ conversations: [], hashes: [hash], now: at(5) })
      await store.startReaders?.()
      const answered: string[] = []
      const answers = { search: search(), sweep: sweep() }
      await Promise.all(Object.entries(answers).map(([name, answer]) => answer.then(() => answered.push(name))))
      expect(answered).toEqual(['sweep', 'search'])
      expect(await answers.search).toMatchObject({ total: 0 })
    })
  })

  it('refuses a file of another program, and names it', async () => {
    const [garbage, another] = [newFile(), newFile()]
    writeFileSync(garbage, 'not a database '.repeat(1000))
    await expect(createSqliteStore({ file: garbage })).rejects.toThrow(garbage)
    const theirs = new DatabaseSync(another)
    theirs.exec('CREATE TABLE theirs (id)')
    theirs.close()
    await expect(createSqliteStore({ file: another })).rejects.toThrow(/no database of Natter/)
  })

  it.each(['deleteContact', 'deleteMessage', 'purge'] as const)(
    'keeps no text of a conversation in the file or its log after %s',
    async erasure => {
      const file = newFile()
      const store = await createSqliteStore({ file })
      const { ours } = await createTestTenants(store)
      const { scope, conversationId, send } = await signIn(store, ours)
      const message = newMessage('a very private matter')
      await send('', message)
      expect(isInFiles(message.text)).toBe(true)
      // With the last connection, the log would be deleted.
      const other = new DatabaseSync(file)
      other.prepare('SELECT 1 FROM bots').get()
      await {
        deleteContact: () => store.deleteContact(scope, at(5)),
        deleteMessage: () => store.deleteMessage(ours, { conversationId }, message.id, at(5)),
        purge: () => store.purge({ now: at(9), endedBefore: at(0), lastMessageBefore: at(8) }),
      }[erasure]()
      await store.close()
      expect(isInFiles(message.text)).toBe(false)
      other.close()
    },
  )

  it('stores the hashes of tokens and never a token', async () => {
    const { store, ours } = await open(newFile())
    const [contact, visitor, organization] = [mintContactToken(), mintVisitorToken(), mintOrganizationToken()]
    const { scope } = await signIn(store, ours)
    await store.createContactSession(ours, { contactId: scope.contactId }, newSession({ hash: contact.hash }))
    await store.createVisitorSession(ours.botId, newSession({ hash: visitor.hash }))
    const prefix = organization.token.slice(0, tokenPrefixLength)
    await store.createOrganizationToken(newToken(ours.organizationId, { hash: organization.hash, prefix }))
    await store.endSession(ours.botId, contact.hash, 'revoked', at(5))
    for (const { token, hash } of [contact, visitor, organization]) {
      expect(isInFiles(hash)).toBe(true)
      expect(isInFiles(token.slice(2))).toBe(false)
    }
  })

  it('leaves no file of a :memory: store behind, closed or not', async () => {
    const temporary = createTemporaryFolder()
    for (const code of [insertOrganization, 'await store.createBot({}).catch(() => {}); process.exit()']) {
      const env = { ...process.env, TMPDIR: temporary }
      const child = spawn(process.execPath, program(code, ':memory:'), { env, stdio: 'inherit' })
      expect(await once(child, 'exit')).toEqual([0, null])
      expect(existsSync(temporary) && readdirSync(temporary)).toEqual([])
    }
  })

  it('lets a process exit that forgets to close it, after running calls', async () => {
    const file = newFile()
    const code = `store.createOrganization({ id: 'o', name: 'N', createdAt: '' })`
    await promisify(execFile)(process.execPath, program(code, file))
    const store = await createSqliteStore({ file })
    expect(await store.listOrganizations()).toHaveLength(1)
    await store.close()
  })
})
