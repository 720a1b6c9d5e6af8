import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { OrganizationToken, Store } from '../../store/store.ts'
import { at, newBot, newHash, useStore } from './storeTenants.ts'

export function describeOrganizations(open: () => Promise<Store>): void {
  const start = useStore(open)

  function newToken(organizationId: string, overrides: Partial<OrganizationToken> = {}): OrganizationToken {
    const hash = newHash()
    return {
      hash,
      prefix: `o_${hash.slice(0, 6)}`,
      organizationId,
      dev: false,
      createdAt: at(1),
      lastUsedAt: null,
      revokedAt: null,
      ...overrides,
    }
  }

  describe('organizations and bots', () => {
    it('returns a bot as it was created', async () => {
      const { store, ours } = await start()
      const bot = newBot(ours.organizationId, {
        origins: ['*', 'http://localhost:*'],
        quickReplies: ['a', 'b'],
        images: true,
      })
      await store.createBot(bot)
      expect(await store.findBot(bot.id)).toEqual(bot)
      expect(await store.findBot(randomUUID())).toBeNull()
    })

    it('returns settings as they were given', async () => {
      const { store, ours } = await start()
      const bot = newBot(ours.organizationId, {
        responder: { kind: 'webhook', url: 'https://example.com/turns', secret: 'whsec_a' },
        events: { url: 'https://example.com/events', secret: 'whsec_b' },
        limits: { turnsPerDay: 7, turnsPerMinute: 600, conversationTurnsPerMinute: 5, sessionsPerMinute: 1 },
        texts: { unknown: 'No idea.', person: 'Ask Ada' },
      })
      await store.createBot(bot)
      expect(await store.findBot(bot.id)).toEqual(bot)
      expect(await store.listBots(ours.organizationId)).toContainEqual(bot)
    })

    it('changes only the given settings of a bot', async () => {
      const { store, ours, sibling } = await start()
      const bot = newBot(ours.organizationId, { limits: { turnsPerDay: 7 }, texts: { unknown: 'No idea.' } })
      await store.createBot(bot)
      const before = await store.findBot(sibling.botId)
      const changes = { name: 'Nell', images: true, events: { url: 'https://example.com', secret: 'whsec_a' } }
      const changed = { ...bot, ...changes }
      expect(await store.updateBot(bot.id, changes)).toEqual(changed)
      expect(await store.findBot(bot.id)).toEqual(changed)
      const clear = { events: null, limits: {}, texts: {}, responder: { kind: 'none' } } as const
      const cleared = { ...changed, ...clear }
      expect(await store.updateBot(bot.id, clear)).toEqual(cleared)
      expect(await store.updateBot(bot.id, {})).toEqual(cleared)
      expect(await store.findBot(sibling.botId)).toEqual(before)
      expect(await store.updateBot(randomUUID(), { name: 'Nobody' })).toBe('not_found')
    })

    it('changes nothing of a bot whose settings are not the expected ones', async () => {
      const { store, ours } = await start()
      const bot = newBot(ours.organizationId, { limits: { turnsPerDay: 7 } })
      await store.createBot(bot)
      expect(await store.updateBot(bot.id, { name: 'Nell' }, { limits: {}, events: null })).toBe('conflict')
      expect(await store.findBot(bot.id)).toEqual(bot)
      const expected = { limits: { turnsPerDay: 7 }, events: null, responder: bot.responder }
      expect(await store.updateBot(bot.id, { name: 'Nell' }, expected)).toEqual({ ...bot, name: 'Nell' })
    })

    it('lists the bots of one organization or of all', async () => {
      const { store, ours, sibling, otherOrganization } = await start()
      const ids = async (organizationId?: string) => (await store.listBots(organizationId)).map(({ id }) => id)
      expect((await ids(ours.organizationId)).sort()).toEqual([ours.botId, sibling.botId].sort())
      expect(await ids()).toEqual(expect.arrayContaining([ours.botId, otherOrganization.botId]))
      expect(await store.listOrganizations()).toContainEqual({
        id: ours.organizationId,
        name: 'Acme',
        createdAt: at(0),
      })
    })

    it('refuses a bot of an unknown organization', async () => {
      const { store } = await start()
      const bot = newBot(randomUUID())
      await expect(store.createBot(bot)).rejects.toThrow()
      expect(await store.findBot(bot.id)).toBeNull()
    })
  })

  describe('organization tokens', () => {
    it('finds a token by its hash, even if revoked', async () => {
      const { store, ours } = await start()
      const token = newToken(ours.organizationId)
      await store.createOrganizationToken(token)
      expect(await store.findOrganizationToken(token.hash)).toEqual(token)
      expect(await store.revokeOrganizationTokens({ prefix: token.prefix }, at(9))).toBe(1)
      expect(await store.findOrganizationToken(token.hash)).toEqual({ ...token, revokedAt: at(9) })
      expect(await store.findOrganizationToken(newHash())).toBeNull()
    })

    it('keeps the time of the first revocation', async () => {
      const { store, ours } = await start()
      const token = newToken(ours.organizationId)
      await store.createOrganizationToken(token)
      await store.revokeOrganizationTokens({ prefix: token.prefix }, at(9))
      expect(await store.revokeOrganizationTokens({ prefix: token.prefix }, at(10))).toBe(0)
      expect((await store.findOrganizationToken(token.hash))?.revokedAt).toBe(at(9))
    })

    it('stores the time of the last use', async () => {
      const { store, ours } = await start()
      const [used, idle] = [newToken(ours.organizationId), newToken(ours.organizationId)]
      for (const token of [used, idle]) await store.createOrganizationToken(token)
      for (const time of [at(4), at(9), at(5)]) await store.touchOrganizationToken(used.hash, time)
      expect((await store.findOrganizationToken(used.hash))?.lastUsedAt).toBe(at(9))
      expect((await store.findOrganizationToken(idle.hash))?.lastUsedAt).toBeNull()
      await store.touchOrganizationToken(newHash(), at(9))
    })

    it('revokes the tokens of --dev without affecting others', async () => {
      const { store, ours, otherOrganization } = await start()
      const kept = newToken(ours.organizationId)
      const dev = newToken(ours.organizationId, { dev: true })
      for (const token of [kept, dev]) await store.createOrganizationToken(token)
      expect(await store.revokeOrganizationTokens({ dev: true }, at(9))).toBe(1)
      const tokens = await store.listOrganizationTokens(ours.organizationId)
      expect(tokens).toHaveLength(2)
      expect(tokens).toEqual(expect.arrayContaining([kept, { ...dev, revokedAt: at(9) }]))
      expect(await store.listOrganizationTokens(otherOrganization.organizationId)).toEqual([])
    })
  })
}
