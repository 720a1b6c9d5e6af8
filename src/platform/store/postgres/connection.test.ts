import { type AddressInfo, createConnection, createServer } from 'node:net'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase, execute } from '../../testing/postgresServer.ts'
import { createTcpProxy } from '../../testing/tcpProxy.ts'
import { monotonicMs, runInContext } from '../callContext.ts'
import { StoreUnavailableError } from '../store.ts'
import { connect } from './connection.ts'

const server = inject('postgres')
const newUrl = () => createDatabase(server)

/** Connects until the test has finished, by default to an empty database. */
async function open(parameters = '', url?: string) {
  const db = await connect((url ?? (await newUrl())) + parameters)
  onTestFinished(db.close)
  return db
}

/** Runs a call whose deadline is so many milliseconds away. */
const within = <Result>(ms: number, call: () => Result): Result =>
  runInContext({ owner: 'o', deadline: monotonicMs() + ms }, call)

describe('connect', () => {
  it('leaves no state in a connection that others share', async () => {
    const stateOf = async (parameters: string) => {
      const db = await open(parameters)
      for (let index = 0; index < 2; index++) await db.transact(tx => tx.one('SELECT $1::int AS n', [index]))
      return db.one(`SELECT (SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'natter_%') AS statements,
        (SELECT count(*) FROM pg_settings WHERE source = 'session') AS settings`)
    }
    expect(await stateOf('?connections=1')).toMatchObject({ statements: 1 })
    expect(await stateOf('?connections=1&pooler=transaction')).toMatchObject({ statements: 0 })
  })

  it('gives up a statement that takes too long, and continues', async () => {
    const db = await open('?connections=1')
    const sleep = within(50, () => db.transact(tx => tx.one('SELECT pg_sleep(5)')))
    await expect(sleep).rejects.toThrow(StoreUnavailableError)
    expect(await db.one('SELECT 1 AS n')).toEqual({ n: 1 })
  })

  it('reports an email that is taken until the deadline as unavailable, without naming it', async () => {
    const db = await open()
    await db.all('CREATE TABLE contacts (email text CONSTRAINT contacts_email UNIQUE)')
    const insert = () => db.transact(tx => tx.all('INSERT INTO contacts VALUES ($1)', ['ada@example.com']))
    await insert()
    const error = await within(100, insert).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreUnavailableError)
    expect(String(error)).not.toContain('ada@example.com')
  })

  it.each(['BEGIN', 'COMMIT'])('gives up a %s without an answer when the deadline has passed', async statement => {
    const line = await createTcpProxy(await newUrl())
    onTestFinished(line.close)
    const db = await open('', line.url)
    await db.one('SELECT 1')
    if (statement === 'BEGIN') line.cut()
    const write = within(500, () => db.transact(async () => line.cut()))
    await expect(write).rejects.toThrow(StoreUnavailableError)
  })

  it('waits for a commit until the deadline', async () => {
    const url = await newUrl()
    const db = await open('', url)
    await execute(
      url,
      `CREATE TABLE written (n int);
       CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3); RETURN NULL; END $$;
       CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON written INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION sleep()`,
    )
    await within(25_000, () => db.transact(tx => tx.all('INSERT INTO written VALUES (1)')))
    expect(await db.all('SELECT n FROM written')).toEqual([{ n: 1 }])
  })

  it('commits nothing after the deadline, though the process was stopped before it could say so', async () => {
    const db = await open()
    await db.all('CREATE TABLE written (n int)')
    const write = within(100, () =>
      db.transact(async tx => {
        await tx.all('INSERT INTO written VALUES (1)')
        // Blocks the thread, and with it every timer, as a stopped process does.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
      }),
    )
    await expect(write).rejects.toThrow(StoreUnavailableError)
    expect(await db.all('SELECT n FROM written')).toEqual([])
  })

  it('waits for its own connections where the server gives no more', async () => {
    const address = new URL(await newUrl())
    await execute(server, "CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT 2")
    const db = await open('', Object.assign(address, { username: 'few', password: 'few' }).href)
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        db.transact(tx => tx.one('SELECT $1::int AS n FROM pg_sleep(0.01)', [index])),
      ),
    )
    expect(all).toEqual(Array.from({ length: 30 }, (_, index) => ({ n: index })))
  })

  it('disconnects from a server that has become read-only, such as a replaced primary', async () => {
    const address = new URL(await newUrl())
    const db = await open('?connections=1', address.href)
    const setReadOnly = (value: string) =>
      execute(server, `ALTER DATABASE ${address.pathname.slice(1)} SET default_transaction_read_only = ${value}`)
    await setReadOnly('on')
    const write = () => db.transact(tx => tx.one('CREATE TABLE a (n int)'))
    await expect(write()).rejects.toThrow(StoreUnavailableError)
    await setReadOnly('off')
    await write()
  })

  it('survives a server that ends a connection while it is passed from one call to the next', async () => {
    const url = new URL(await newUrl())
    const errorMessage = Buffer.from('E....SFATAL\0C57P01\0Mterminating connection\0\0')
    errorMessage.writeUInt32BE(errorMessage.length - 1, 1)
    let isEnding = false
    const port = Number(url.port)
    const line = createServer(near => {
      const far = createConnection(port, url.hostname)
      for (const end of [near, far]) end.on('error', () => {})
      near.pipe(far).on('data', chunk => near.write(isEnding ? Buffer.concat([chunk, errorMessage]) : chunk))
    }).listen(0)
    url.port = String((line.address() as AddressInfo).port)
    const db = await connect(`${url.href}?connections=1`)
    onTestFinished(() => db.close().then(() => void line.close()))
    const ask = () => db.one('SELECT 1 AS n')
    await ask()
    isEnding = true
    const answers = [ask(), db.transact(tx => tx.one('SELECT 1')), ask()]
    isEnding = await Promise.allSettled(answers).then(() => false)
    expect(await ask()).toEqual({ n: 1 })
  })
})
