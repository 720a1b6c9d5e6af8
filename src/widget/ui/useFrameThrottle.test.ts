import { effect, signal } from '@preact/signals-core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { throttleToFrame } from './useFrameThrottle.ts'

afterEach(() => vi.unstubAllGlobals())

function follow() {
  const asked: FrameRequestCallback[] = []
  vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => asked.push(callback))
  const source = signal<{ id: string; text: string } | null>(null)
  const [shown, stop] = throttleToFrame(source)
  const seen: (string | undefined)[] = []
  effect(() => {
    seen.push(shown.value?.text)
  })
  let time = 0
  const frame = () => {
    time += 16
    for (const callback of asked.splice(0)) callback(time)
  }
  return { source, seen, frame, stop, asked }
}

describe('perFrame', () => {
  test('shows the beginning at once, what it grows by once a frame, and the end at once', () => {
    const { source, seen, frame } = follow()
    source.value = { id: 'a', text: 'Good' }
    expect(seen).toEqual([undefined, 'Good'])
    for (const text of ['Good m', 'Good mo', 'Good mor']) source.value = { id: 'a', text }
    expect(seen).toHaveLength(2)
    frame()
    expect(seen.slice(2)).toEqual(['Good mor'])
    source.value = { id: 'a', text: 'Good morn' }
    source.value = null
    expect(seen.slice(3)).toEqual([undefined])
    frame()
    expect(seen).toHaveLength(4)
  })

  test('gives way to another reply without waiting for a frame', () => {
    const { source, seen } = follow()
    source.value = { id: 'a', text: 'One' }
    source.value = { id: 'b', text: 'Two' }
    expect(seen).toEqual([undefined, 'One', 'Two'])
  })

  test('asks for no frame any more once it is undone', () => {
    const { source, stop, asked } = follow()
    stop()
    source.value = { id: 'a', text: 'One' }
    expect(asked).toHaveLength(0)
  })
})
