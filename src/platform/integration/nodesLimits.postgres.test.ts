import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it } from 'vitest'
import { defaultTurnLimits } from '../domain/turnLimits.ts'
import { execute } from '../testing/postgresServer.ts'
import { startNodes } from '../testing/testNodes.ts'

const server = inject('postgres')

describe('rate limits of three nodes on one PostgreSQL', { timeout: 60_000 }, () => {
  it('allow a responder as many replies per minute as one node would', async () => {
    // No address is known here, so that none has more than its part.
    const ofAnonymous = (defaultTurnLimits.turnsPerMinute * 2) / 3
    const { tenants, database, call } = await startNodes(server, {
      rateLimit: 3600,
      responder: {
        async *answer() {
          yield { text: 'Yes?' }
        },
      },
    })
    const asking = Array.from({ length: ofAnonymous + 10 }, async (_, index) => {
      const token = await tenants.ours.visitorToken()
      await call(index, 'POST', '/widget/messages', { token, json: { id: randomUUID(), text: 'Hello?' } })
    })
    await Promise.all(asking)
    const answers = () =>
      execute(
        database,
        `SELECT author, count(*)::int AS count FROM messages WHERE author <> 'visitor' GROUP BY author ORDER BY author`,
      )
    const all = [
      { author: 'bot', count: ofAnonymous },
      { author: 'system', count: 10 },
    ]
    await expect.poll(answers, { timeout: 20_000 }).toEqual(all)
  })
})
