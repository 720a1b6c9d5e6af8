import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { monotonicMs } from '../store/callContext.ts'
import type { SessionRow } from '../store/store.ts'
import type { AppEnv } from './appEnv.ts'
import { createTransferAdmission, streamDownload } from './transferAdmission.ts'

/** A server whose files are sent when they are read. The path names the session. */
function createServer() {
  const { admitDownload } = createTransferAdmission()
  return new Hono<AppEnv>()
    .use('/:session', async (c, next) => {
      c.set('requestContext', { owner: 'organization', deadline: monotonicMs() + 60_000 })
      c.set('session', { hash: c.req.param('session') } as SessionRow)
      await next()
    })
    .get('/:session', admitDownload, c => c.body(streamDownload(c, noBytes(), systemClock)))
    .onError((error, c) => c.text(error.message, 503))
}

async function* noBytes(): AsyncGenerator<Uint8Array, void> {}

it('lets 8 files of a session be downloaded at once, 64 wait, and 256 of all sessions', async () => {
  const server = createServer()
  const requests = Array.from({ length: 5 * 73 }, (_, index) => `/${index % 5}`)
  const answers = await Promise.all(
    requests.map(async path => {
      const response = await server.request(path, undefined, {})
      return { path, status: response.status, text: await response.text() }
    }),
  )
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.length).toBe(requests.length - 5 * 8 - 256)
  expect(new Set(refused.map(({ text }) => text))).toEqual(new Set(['Too many downloads of sessions are waiting.']))
  // No session has lost its places to the others.
  for (const session of ['/0', '/1', '/2', '/3', '/4'])
    expect(refused.filter(({ path }) => path === session).length).toBeLessThanOrEqual(73 - 8 - 51)
})
