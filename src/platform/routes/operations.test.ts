import { describe, expect, it } from 'vitest'
import { createCast, dataOf, outcomeOf } from '../fixtures.ts'

const request = (path: string) => new Request(`http://natter.test${path}`)

describe('/healthz', () => {
  it('says that the process lives, without asking the store', async () => {
    const cast = await createCast()
    await cast.store.close()
    expect(await dataOf(await cast.platform.fetch(request('/healthz')))).toMatchObject({ status: 'ok' })
    await cast.platform.close()
  })
})

describe('/readyz', () => {
  it('says whether the store answers', async () => {
    const cast = await createCast()
    const ready = () => cast.platform.fetch(request('/readyz'))
    expect(await dataOf(await ready())).toMatchObject({ status: 'ok' })
    await cast.store.close()
    expect(await outcomeOf(await ready())).toBe('503 unavailable')
    await cast.platform.close()
  })

  it('waits for the store a second and no longer', async () => {
    const cast = await createCast()
    cast.store.ping = () => new Promise(() => {})
    const ready = cast.platform.fetch(request('/readyz'))
    cast.clock.advance(1_000)
    expect(await outcomeOf(await ready)).toBe('503 unavailable')
    await cast.close()
  })

  it('says no from the moment on that the server closes, while it still answers what is asked', async () => {
    const cast = await createCast()
    cast.platform.closeStreams()
    expect(await outcomeOf(await cast.platform.fetch(request('/readyz')))).toBe('503 unavailable')
    // Nobody need be woken up for it.
    expect(JSON.parse(cast.lines.at(-1) ?? '')).toMatchObject({ level: 30, route: '/readyz', status: 503 })
    expect((await cast.ours.call('POST', '/contacts')).status).toBe(200)
    await cast.close()
  })
})
