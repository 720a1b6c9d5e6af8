import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { Store } from '../../store/store.ts'
import { at, newBot, newHash, newToken, storeTests } from './storeTenants.ts'

export function describeOrganizations(open: () => Promise<Store>): void {
  const it = storeTests(open)

  describe('organizations and bots', () => {
    it('returns a bot as it was created', async ({ store, ours, sibling, otherOrganization }) => {
      const bot = newBot(ours.organizationId, {
        origins: ['*', 'http://localhost:*'],
        quickReplies: ['a', 'b'],
        images: true,
        responder: { kind: 'webhook', url: 'https://example.com/turns', secret: 'whsec_a' },
        events: { url: 'https://example.com/events', secret: 'whsec_b' },
        limits: { turnsPerDay: 7, turnsPerMinute: 600, conversationTurnsPerMinute: 5, sessionsPerMinute: 1 },
        texts: { unknown: 'No idea.', person: 'Ask Ada' },
      })
      await store.createBot(bot)
      expect(await store.findBot(bot.id)).toEqual(bot)
      expect(await store.findBot(randomUUID())).toBeNull()
      const own = await store.listBots(ours.organizationId)
      expect(own).toContainEqual(bot)
      expect(own.map(({ id }) => id).sort()).toEqual([ours.botId, sibling.botId, bot.id].sort())
      const all = (await store.listBots()).map(({ id }) => id)
      expect(all).toEqual(expect.arrayContaining([bot.id, otherOrganization.botId]))
      const organization = { id: ours.organizationId, name: 'Acme', createdAt: at(0) }
      expect(await store.listOrganizations()).toContainEqual(organization)
    })

    it('changes only the given settings, if the others are as expected', async ({ store, ours, sibling }) => {
      const bot = newBot(ours.organizationId, { limits: { turnsPerDay: 7 }, texts: { unknown: 'No idea.' } })
      await store.createBot(bot)
      const before = await store.findBot(sibling.botId)
      const changes = { name: 'Nell', images: true, events: { url: 'https://example.com', secret: 'whsec_a' } }
      const changed = { ...bot, ...changes }
      expect(await store.updateBot(bot.id, changes, { limits: {}, events: null })).toBe('conflict')
      expect(await store.findBot(bot.id)).toEqual(bot)
      const expected = { limits: { turnsPerDay: 7 }, events: null, responder: bot.responder }
      expect(await store.updateBot(bot.id, changes, expected)).toEqual(changed)
      expect(await store.findBot(bot.id)).toEqual(changed)
      const clear = { events: null, limits: {}, texts: {}, responder: { kind: 'none' } } as const
      const cleared = { ...changed, ...clear }
      expect(await store.updateBot(bot.id, clear)).toEqual(cleared)
      expect(await store.updateBot(bot.id, {})).toEqual(cleared)
      expect(await store.findBot(sibling.botId)).toEqual(before)
      expect(await store.updateBot(randomUUID(), { name: 'Nobody' })).toBe('not_found')
    })

    it('refuses a bot of an unknown organization', async ({ store }) => {
      const bot = newBot(randomUUID())
      await expect(store.createBot(bot)).rejects.toThrow()
      expect(await store.findBot(bot.id)).toBeNull()
    })
  })

  describe('organization tokens', () => {
    it('finds a token by its hash, even if revoked, with the time of the first revocation', async ({ store, ours }) => {
      const token = newToken(ours.organizationId)
      await store.createOrganizationToken(token)
      expect(await store.findOrganizationToken(token.hash)).toEqual(token)
      const revokeAt = (time: string) => store.revokeOrganizationTokens({ prefix: token.prefix }, time)
      expect([await revokeAt(at(9)), await revokeAt(at(10))]).toEqual([1, 0])
      expect(await store.findOrganizationToken(token.hash)).toEqual({ ...token, revokedAt: at(9) })
      expect(await store.findOrganizationToken(newHash())).toBeNull()
    })

    it('stores the time of the last use', async ({ store, ours }) => {
      const [used, idle] = [newToken(ours.organizationId), newToken(ours.organizationId)]
      for (const token of [used, idle]) await store.createOrganizationToken(token)
      for (const time of [at(4), at(9), at(5)]) await store.touchOrganizationToken(used.hash, time)
      expect((await store.findOrganizationToken(used.hash))?.lastUsedAt).toBe(at(9))
      expect((await store.findOrganizationToken(idle.hash))?.lastUsedAt).toBeNull()
      await store.touchOrganizationToken(newHash(), at(9))
    })

    it('revokes the tokens of --dev without affecting others', async ({ store, ours, otherOrganization }) => {
      const [kept, dev] = [newToken(ours.organizationId), newToken(ours.organizationId, { dev: true })]
      for (const token of [kept, dev]) await store.createOrganizationToken(token)
      expect(await store.revokeOrganizationTokens({ dev: true }, at(9))).toBe(1)
      const tokens = await store.listOrganizationTokens(ours.organizationId)
      expect(tokens).toHaveLength(2)
      expect(tokens).toEqual(expect.arrayContaining([kept, { ...dev, revokedAt: at(9) }]))
      expect(await store.listOrganizationTokens(otherOrganization.organizationId)).toEqual([])
    })
  })
}
