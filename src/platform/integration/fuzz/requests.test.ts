import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../../contract/index.ts'
import { report, scale } from '../../../testScale.ts'
import { bytesOf } from '../../testing/fuzz/bodies.ts'
import { expectWellFormed } from '../../testing/fuzz/checkResponses.ts'
import { createFuzzTarget } from '../../testing/fuzz/fuzzTarget.ts'
import { type GeneratedRequest, generatedRequests } from '../../testing/fuzz/requests.ts'

const target = await createFuzzTarget()
afterAll(() => target.close())

const withoutBody = new Set(['GET', 'HEAD'])
/** Endpoints that only read, although their method is not `GET`. */
const readingByPost = new Set([
  'searchContacts',
  'retrieveSessionWithNonce',
  'listMessagesWithNonce',
  'streamEventsWithNonce',
])
async function fire(generated: GeneratedRequest): Promise<number> {
  const body = withoutBody.has(generated.method) ? null : bytesOf(generated.body)
  const request = new Request(`http://natter.test${target.pathOf(generated)}`, {
    method: generated.method,
    headers: target.headersOf(generated),
    body,
  })
  const response = await target.tenants.platform.fetch(request)
  const stream = response.headers.get('content-type') === 'text/event-stream'
  const isFile = response.headers.has('content-disposition')
  // The body of a file that another request erases meanwhile ends with an error.
  const text = stream ? '' : await response.text().catch(error => (isFile ? '' : Promise.reject(error)))
  if (stream) await response.body?.cancel()
  expectWellFormed({ method: generated.method, response, text, secrets: target.tokens() })
  return response.status
}

/** A refused request or a read changes nothing. */
async function fireAlone(generated: GeneratedRequest): Promise<number> {
  const before = target.snapshot()
  const status = await fire(generated)
  if (status >= 400 || withoutBody.has(generated.method) || readingByPost.has(generated.name))
    expect(target.snapshot()).toBe(before)
  else if (generated.method === 'DELETE') await target.replaceEnded()
  return status
}

describe('any request to any endpoint', () => {
  it('gets a documented response, never a 5xx, writes nothing partially, and leaks no memory', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const heapUsed = (): number => {
      collect()
      return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
    }
    const statuses: Record<string, Record<number, number>> = {}
    let sent = 0
    let early = 0
    const count = async (generated: GeneratedRequest): Promise<void> => {
      const status = await fireAlone(generated)
      const counts = statuses[generated.name] ?? {}
      statuses[generated.name] = { ...counts, [status]: (counts[status] ?? 0) + 1 }
      sent++
      if (sent % 500 === 0) await target.restore()
      if (sent === Math.floor(scale.fuzzedRequests / 3)) early = heapUsed()
    }
    await fc.assert(fc.asyncProperty(generatedRequests, count), { numRuns: scale.fuzzedRequests, seed: scale.seed })
    const grown = (heapUsed() - early) / 2 ** 20
    report(
      `${sent} requests to ${Object.keys(statuses).length} endpoints, ${grown.toFixed(1)} MiB more after two thirds of them`,
    )
    expect(grown).toBeLessThan(24)
    // Otherwise the requests would be so invalid that none succeeds.
    for (const [name, of] of Object.entries(statuses)) {
      const { status } = endpoints[name as keyof typeof endpoints].success
      expect({ name, successes: of[status] ?? 0 }).toMatchObject({
        successes: expect.toSatisfy(many => many >= scale.fuzzedSuccesses),
      })
    }
  }, 1_800_000)

  it('is also answered correctly with concurrent requests', async () => {
    const concurrentRequests = fc.asyncProperty(
      fc.array(generatedRequests, { minLength: 2, maxLength: 20 }),
      async many => {
        const statuses = await Promise.all(many.map(fire))
        if (many.some(({ method }, index) => method === 'DELETE' && statuses[index] === 204)) await target.restore()
      },
    )
    await fc.assert(concurrentRequests, { numRuns: scale.fuzzedVolleys, seed: scale.seed })
    report(`${scale.fuzzedVolleys} volleys of up to 20 requests`)
  }, 1_800_000)

  it('that sends a message returns it unchanged', async () => {
    const token = await target.tenants.ours.visitorToken()
    const property = fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), async text => {
      const response = await target.tenants.ours.send(token, text)
      if (response.status !== 201) return
      const { data } = (await response.json()) as { data: { text: string } }
      expect(data.text).toBe(text.trim())
    })
    await fc.assert(property, { numRuns: scale.fuzzedForms, seed: scale.seed })
  })
})
