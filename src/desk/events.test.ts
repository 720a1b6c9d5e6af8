// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createEvents } from './events.ts'

class FakeSource extends EventTarget {
  readonly CLOSED = 2
  readyState = 1
  onerror: (() => void) | null = null
  emit(event: string, data: unknown = {}) {
    this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }))
  }
  fail(isRefused: boolean) {
    this.readyState = isRefused ? 2 : 0
    this.onerror?.()
  }
  close() {
    this.readyState = 2
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function setUp() {
  const sources: FakeSource[] = []
  const urls: string[] = []
  const checks: string[] = []
  const events = createEvents({
    api: { get: (async (path: string) => checks.push(path)) as never },
    memberId: 'nora',
    openSource(url) {
      urls.push(url)
      sources.push(new FakeSource())
      return sources.at(-1) as unknown as EventSource
    },
  })
  const heard: string[] = []
  events.subscribe(({ event }) => heard.push(event))
  const stop = events.start()
  return { events, sources, urls, checks, heard, stop, source: () => sources.at(-1) as FakeSource }
}

describe('the event stream', () => {
  it('reaches all listeners, also if one of them fails', () => {
    const { events, source, heard, stop } = setUp()
    const report = vi.fn()
    vi.stubGlobal('reportError', report)
    const error = new Error('Illegal constructor')
    events.subscribe(() => {
      throw error
    })
    const later: string[] = []
    events.subscribe(({ event }) => later.push(event))
    source().emit('heartbeat')
    expect([later, events.status.value]).toEqual([heard, 'live'])
    expect(report).toHaveBeenCalledWith(error)
    stop()
  })

  it('names the member whose page it is, also when it is opened anew under the cookie of another one', async () => {
    const { urls, source, stop } = setUp()
    source().fail(true)
    await vi.advanceTimersByTimeAsync(1000)
    for (const url of urls) expect(url).toMatch(/^\/desk\/api\/events\?page=[\w-]+&member=nora$/)
    expect(urls).toHaveLength(2)
    stop()
  })

  it('is live with the first heartbeat, after which everything is loaded', () => {
    const { events, source, heard, stop } = setUp()
    expect(events.status.value).toBe('connecting')
    source().emit('heartbeat')
    source().emit('heartbeat')
    expect([events.status.value, heard]).toEqual(['live', ['heartbeat', 'reset', 'heartbeat']])
    stop()
  })

  it('loads everything again when the browser has resumed it: what was erased meanwhile must not stay', () => {
    const { events, source, heard, stop } = setUp()
    source().emit('heartbeat')
    source().fail(false)
    expect(events.status.value).toBe('connecting')
    source().emit('heartbeat')
    expect(events.status.value).toBe('live')
    expect(heard.filter(event => event === 'reset')).toHaveLength(2)
    stop()
  })

  it('is opened anew when the platform has refused it, and asks whether the session has ended', async () => {
    const { sources, source, checks, heard, stop } = setUp()
    source().emit('heartbeat')
    source().fail(true)
    expect(checks).toEqual(['/session'])
    await vi.advanceTimersByTimeAsync(1000)
    expect(sources).toHaveLength(2)
    source().emit('heartbeat')
    expect(heard.filter(event => event === 'reset')).toHaveLength(2)
    stop()
  })

  it('is opened anew when it has been silent for longer than its heartbeat takes', async () => {
    const { sources, source, stop } = setUp()
    source().emit('heartbeat')
    await vi.advanceTimersByTimeAsync(30_000)
    source().emit('heartbeat')
    await vi.advanceTimersByTimeAsync(30_000)
    expect(sources).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(20_000)
    expect([sources.length, sources[0]?.readyState]).toEqual([2, 2])
    stop()
  })

  it('says that the browser is offline, and is opened anew when it is back', () => {
    const { events, sources, stop } = setUp()
    dispatchEvent(new Event('offline'))
    expect(events.status.value).toBe('offline')
    dispatchEvent(new Event('online'))
    expect(sources).toHaveLength(2)
    stop()
    dispatchEvent(new Event('online'))
    expect(sources).toHaveLength(2)
  })
})
