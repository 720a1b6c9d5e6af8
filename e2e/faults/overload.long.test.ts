import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { report } from '../../src/testScale.ts'
import { engines, readQueueDepth } from './engines.ts'
import { readResidentBytes } from './residentMemory.ts'

const mebibyte = 2 ** 20
/** An upsert of 1.3 MB. */
const upsert = {
  data: Array.from({ length: 1000 }, (_, index) => ({ name: 'Ada '.repeat(310), email: `${index}@example.com` })),
}

/**
 * A client may get no response: if it is still sending a large body half a second after it was refused, Hono's adapter closes
 * the connection. A busy machine takes longer to open thousands of connections than client and server wait for one.
 */
function ignoreLostConnection(error: Error): undefined {
  const { code = '' } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (!['ECONNRESET', 'EPIPE', 'UND_ERR_CONNECT_TIMEOUT'].includes(code)) throw error
}

it.skipIf(!existsSync('/proc/self/status')).for(engines)(
  'a node whose database on %s stands still refuses what is too much, and its memory stays bounded',
  { timeout: 600_000 },
  async ([_, open], { onTestFinished }) => {
    const { deployment, block } = await open({ onTestFinished })
    const node = await deployment.serve()
    const { api, call } = deployment
    /**
     * Sends requests while the database stands still, for 3 s and until `enough` are refused. Returns those, and by how much the
     * memory has grown.
     */
    const overload = async (count: number, enough: number, send: (index: number) => Promise<Response>) => {
      const unblock = await block()
      const before = readResidentBytes(node.pid)
      const refused: Response[] = []
      const answers = Array.from({ length: count }, async (_, index) => {
        const answer = await send(index).catch(ignoreLostConnection)
        await answer?.body?.cancel()
        if (answer?.status === 503) refused.push(answer)
      })
      let peak = before
      for (let sample = 0; sample < 30 || refused.length < enough; sample++) {
        await pause(100)
        peak = Math.max(peak, readResidentBytes(node.pid))
      }
      await unblock()
      await Promise.all(answers)
      await expect.poll(() => readQueueDepth(api)).toBe(0)
      return { refused, grownMebibytes: Math.round((peak - before) / mebibyte) }
    }

    const creations = await overload(5000, 1000, index =>
      call('PUT', '/contacts', { json: { name: 'Ada', email: `ada-${index}@example.com` }, api }),
    )
    const upserts = await overload(300, 1, () => call('PATCH', '/contacts', { json: upsert, api }))
    report(`5000 creations: ${creations.grownMebibytes} MiB more; 300 upserts: ${upserts.grownMebibytes} MiB more`)
    for (const { headers } of [...creations.refused, ...upserts.refused])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(creations.grownMebibytes).toBeLessThan(300)
    expect(upserts.grownMebibytes).toBeLessThan(300)
    expect((await call('PUT', '/contacts', { json: { name: 'Grace', email: 'grace@example.com' }, api })).status).toBe(
      201,
    )
  },
)
