import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mintContactToken, mintOrganizationToken, mintVisitorToken, mintWebhookSecret } from '../domain/tokens.ts'
import { sweepMs } from '../platform.ts'
import { StoreBusyError, StoreUnavailableError } from '../store/store.ts'
import { createTestTenants, type TestTenants } from '../testing/testTenants.ts'
import { createLogger } from './log.ts'
import { redact } from './redact.ts'

const encodeAll = (text: string) => [...text].map(letter => `%${letter.charCodeAt(0).toString(16)}`).join('')

describe('redact', () => {
  const tokens = [mintContactToken, mintVisitorToken, mintOrganizationToken].map(mint => mint().token)

  it('removes tokens in every form in which a URL may contain them', () => {
    for (const token of tokens) {
      const forms = [token, encodeURIComponent(token), encodeURIComponent(encodeURIComponent(token)), encodeAll(token)]
      for (const form of forms) {
        const text = `DELETE /v1/bots/1/auth/contacts/${form}?x=1 failed`
        const redacted = redact(text)
        expect(redacted).not.toContain(form)
        expect(redacted).not.toContain(token.slice(2, 22))
        expect(redacted).toMatch(/^DELETE \/v1\/bots\/1\/auth\/contacts\/.*\?x=1 failed$/)
      }
      expect(redact(`cut off ${token.slice(0, -6)}`)).not.toContain(token.slice(2, 22))
    }
  })

  it('removes webhook secrets', () => {
    const secret = mintWebhookSecret()
    expect(redact(`{"secret":"${secret}"}`)).toBe('{"secret":"[redacted]"}')
    expect(redact(`cut off ${secret.slice(0, -9)}`)).toBe('cut off [redacted]')
  })

  it('finds a token anywhere in a text, but no shorter run of digits', () => {
    const { token } = mintContactToken()
    for (let before = 0; before < 70; before += 1) {
      for (const text of [token, token.slice(2), token.slice(2, 35)])
        expect(redact(`${'z'.repeat(before)}${text}z`)).toBe(`${'z'.repeat(before)}[redacted]z`)
      const fewer = `${'-'.repeat(before)}${token.slice(2, 34)}-${token.slice(2, 34)}`
      expect(redact(fewer)).toBe(fewer)
    }
  })

  it('keeps ids and what people write', () => {
    const text = 'request 01a1fcd5-0a7c-7421-8f8c-4b7cc3df7cb5 of "/v1/bots/{botId}/contacts": 100% o_o, c:ok'
    expect(redact(text)).toBe(text)
  })
})

describe('createLogger', () => {
  function createLines(level?: 'warn' | 'error') {
    const lines: string[] = []
    return { lines, logger: createLogger(line => lines.push(line), level) }
  }

  it.each([
    [undefined, 3],
    ['warn', 2],
    ['error', 1],
  ] as const)('with the level %s logs %i of a request, a warning and an error', (level, count) => {
    const { lines, logger } = createLines(level)
    logger.info('a request')
    logger.warn('a warning')
    logger.error('an error')
    expect(lines).toHaveLength(count)
  })

  it('redacts error messages, stacks, causes and nested fields', () => {
    const { lines, logger } = createLines()
    const { token } = mintContactToken()
    const cause = new Error(`inner ${token}`)
    logger.error({ err: new Error(`outer ${token}`, { cause }), deep: [{ url: `/${token}` }] }, token)
    expect(lines).toEqual([expect.stringContaining('outer')])
    expect(lines[0]).not.toContain(token.slice(2))
    expect(() => JSON.parse(lines[0] ?? '')).not.toThrow()
  })

  it('logs neither the values of a row of PostgreSQL nor the parameters, also not those of a cause', () => {
    const { lines, logger } = createLines()
    const [detail, email] = ['Key (email)=(ada@example.com)', 'ada@example.com']
    const entered = { detail, where: email, parameters: [email] }
    const pgError = Object.assign(new Error('duplicate key'), { code: '23505', ...entered })
    logger.error({ err: Object.assign(new Error('not stored', { cause: pgError }), entered) }, 'failed')
    expect(lines.join()).not.toContain(email)
    expect(JSON.parse(lines.join())).toMatchObject({
      err: {
        ...{ type: 'Error', message: 'not stored', stack: expect.stringContaining('at ') },
        cause: { type: 'Error', message: 'duplicate key', code: '23505' },
      },
    })
  })
})

describe('createStderrSink', () => {
  const program = (end: string) => [
    '--input-type=module-typescript',
    '-e',
    `import { createLogger, createStderrSink } from ${JSON.stringify(new URL('log.ts', import.meta.url))}
    createLogger(createStderrSink()).info('a line')
    ${end}`,
  ]
  const line = expect.stringContaining('"msg":"a line"}\n')

  it('keeps nothing back when the process ends', () => {
    const { status, stderr } = spawnSync(process.execPath, program('process.exit(3)'))
    expect([status, stderr.toString()]).toEqual([3, line])
  })

  it('does not wait for more lines for long', async () => {
    const child = spawn(process.execPath, program('setInterval(() => {}, 1000)'))
    onTestFinished(() => void child.kill())
    expect(String(await once(child.stderr, 'data'))).toEqual(line)
  })
})

/** The lines that have been logged since the last call. */
const linesOf = ({ lines }: TestTenants) => lines.splice(0).map(line => JSON.parse(line) as Record<string, unknown>)

describe('observe', () => {
  it('writes one line per response: route, status, time and request id; refusals as info, failures as errors', async () => {
    const tenants = await createTestTenants({ trustedProxies: ['10.0.0.1'] })
    linesOf(tenants)
    const connection = {
      incoming: { headers: { 'x-forwarded-for': '203.0.113.9' }, socket: { remoteAddress: '10.0.0.1' } },
    }
    const path = `/v1/bots/${tenants.ours.bot.id}/contacts/nobody?query=ada@example.com`
    const headers = { authorization: tenants.ours.organizationToken, referer: 'https://shop.example/ada' }
    const ask = async () => {
      const response = await tenants.platform.fetch(new Request(`http://natter.test${path}`, { headers }), connection)
      return response.headers.get('x-request-id')
    }
    const refused = await ask()
    tenants.store.findBot = async () => {
      tenants.clock.advance(20)
      throw new Error('broken')
    }
    const failed = await ask()
    const lines = linesOf(tenants)
    const time = expect.any(String)
    const common = { method: 'GET', route: '/v1/bots/{botId}/contacts/{contactId}', msg: 'request', time }
    expect(lines).toEqual([
      { ...common, level: 30, requestId: refused, status: 404, ms: 0 },
      expect.objectContaining({ level: 50, msg: 'failed', requestId: failed }),
      { ...common, level: 50, requestId: failed, status: 500, ms: 20 },
    ])
    // A request's id is random, so it may contain any short word.
    const logged = JSON.stringify(lines.map(line => ({ ...line, requestId: '' })))
    for (const secret of ['203.0.113.9', '10.0.0.1', 'ada', 'nobody', tenants.ours.bot.id])
      expect(logged).not.toContain(secret)
  })
})

describe('handleError', () => {
  it('logs why the store has failed a request, and a stack only for unexpected errors', async () => {
    const tenants = await createTestTenants()
    const { ours, store, platform } = tenants
    const fail = async (error: Error) => {
      store.findBot = () => Promise.reject(error)
      linesOf(tenants)
      const { headers } = await ours.call('POST', '/contacts')
      const common = { requestId: headers.get('x-request-id'), route: '/v1/bots/{botId}/contacts' }
      return { common, lines: linesOf(tenants), retryAfter: headers.get('retry-after') }
    }
    const { common, lines } = await fail(new StoreUnavailableError('as asked'))
    expect(lines).toEqual([
      { ...common, level: 50, time: expect.any(String), reason: 'as asked', msg: 'failed' },
      expect.objectContaining({ ...common, level: 50, status: 503, ms: 0, msg: 'request' }),
    ])
    const busy = await fail(new StoreBusyError('as asked'))
    expect(busy.retryAfter).toBe('1')
    expect(busy.lines).toEqual([expect.objectContaining({ ...busy.common, level: 30, status: 429 })])
    const unforeseen = await fail(new Error('as asked'))
    expect(unforeseen.lines[0]).toMatchObject({ ...unforeseen.common, err: { stack: expect.stringContaining('at ') } })
    await platform.close()
    expect((await ours.call('POST', '/contacts')).status).toBe(503)
    expect(linesOf(tenants)).toEqual([
      expect.objectContaining({ level: 30, reason: 'The platform is stopping.', msg: 'refused' }),
      expect.objectContaining({ level: 30, status: 503, msg: 'request' }),
    ])
  })
})

describe('the sweeps', () => {
  it('report once that the store does not answer, and once that it does again', async () => {
    const tenants = await createTestTenants()
    let isAway = false
    // Resolves immediately, so that the sweeps do not overlap.
    const lease = async () => {
      if (isAway) throw new StoreUnavailableError('as asked')
      return []
    }
    Object.assign(tenants.store, { leaseDeliveries: lease, leaseTurns: lease })
    const sweep = async (times: number) => {
      for (let time = 0; time < times; time++) {
        tenants.clock.advance(sweepMs)
        await new Promise(setImmediate)
      }
      return linesOf(tenants).map(({ msg }) => msg)
    }
    await sweep(1)
    for (let times = 0; times < 2; times++) {
      isAway = true
      expect(await sweep(5)).toEqual(['the store does not answer: requests that need it get 503'])
      isAway = false
      expect(await sweep(5)).toEqual(['the store answers again'])
    }
  })

  it('report no end of an outage as long as one of them fails', async () => {
    const { store, clock, lines } = await createTestTenants()
    Object.assign(store, { leaseDeliveries: async () => [], leaseTurns: async () => [] })
    store.expirePauses = async () => {
      throw new StoreUnavailableError('as asked')
    }
    for (let time = 0; time < 5; time++) {
      clock.advance(sweepMs)
      await new Promise(setImmediate)
    }
    expect(lines.map(line => JSON.parse(line).msg)).toEqual([
      'the store does not answer: requests that need it get 503',
    ])
  })
})
