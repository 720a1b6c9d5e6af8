import { signal } from '@preact/signals'
import { cleanup, renderHook } from '@testing-library/preact'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { useFrameThrottle } from './useTranscriptItems.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function setUp() {
  const callbacks = new Map<number, FrameRequestCallback>()
  let frames = 0
  vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => {
    callbacks.set(++frames, callback)
    return frames
  })
  vi.stubGlobal('cancelAnimationFrame', (frame: number) => callbacks.delete(frame))
  const source = signal<{ id: string; text: string } | null>(null)
  const { result, unmount } = renderHook(() => useFrameThrottle(source))
  const seen: (string | undefined)[] = []
  const stop = result.current.subscribe(value => seen.push(value?.text))
  const paint = () => {
    const due = [...callbacks.values()]
    callbacks.clear()
    for (const callback of due) callback(0)
  }
  return { source, seen, paint, callbacks, unmount, stop }
}

describe('useFrameThrottle', () => {
  test('returns the first and the last value immediately, and others once per frame', () => {
    const { source, seen, paint } = setUp()
    source.value = { id: 'a', text: 'Good' }
    expect(seen).toEqual([undefined, 'Good'])
    for (const text of ['Good m', 'Good mo', 'Good mor']) source.value = { id: 'a', text }
    expect(seen).toHaveLength(2)
    paint()
    expect(seen.slice(2)).toEqual(['Good mor'])
    source.value = { id: 'a', text: 'Good morn' }
    source.value = null
    expect(seen.slice(3)).toEqual([undefined])
    paint()
    expect(seen).toHaveLength(4)
  })

  test('returns another reply without waiting for a frame', () => {
    const { source, seen } = setUp()
    source.value = { id: 'a', text: 'One' }
    source.value = { id: 'b', text: 'Two' }
    expect(seen).toEqual([undefined, 'One', 'Two'])
  })

  test('requests no frame after unmounting', () => {
    const { source, callbacks, unmount, stop } = setUp()
    source.value = { id: 'a', text: 'One' }
    source.value = { id: 'a', text: 'One more' }
    expect(callbacks.size).toBe(1)
    stop()
    unmount()
    source.value = { id: 'a', text: 'One more still' }
    expect(callbacks.size).toBe(0)
  })
})
