import { expect, it } from 'vitest'
import { createMemoryBus } from '../bus/memory.ts'
import { hashToken } from '../domain/tokens.ts'
import { createTestTenants } from '../testing/testTenants.ts'
import { createStreams, defaultStreamLimits } from './streams.ts'

it('leaves no stream behind if the store fails while one is being opened', async () => {
  const tenants = await createTestTenants()
  const { store, clock, ours } = tenants
  const session = await store.findSession(hashToken(await ours.visitorToken()))
  if (!session) throw new Error('no session')
  const failing = { ...store, findSession: () => Promise.reject(new Error('as asked')) }
  const onError = (error: unknown) => expect.unreachable(String(error))
  const streams = createStreams({ store: failing, bus: createMemoryBus(), clock, limits: defaultStreamLimits, onError })
  await expect(streams.open(session, {})).rejects.toThrow('as asked')
  expect(streams.count()).toBe(0)
  await tenants.close()
})
