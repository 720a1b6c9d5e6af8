import { signal } from '@preact/signals-core'
import { expect, test } from 'vitest'
import { createMounted } from './mounted.ts'

const items = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => ({ id: `${from + index}` }))

test('a list of up to 120 stands there whole, whatever is asked for', () => {
  const list = signal(items(0, 120))
  const mounted = createMounted(list)
  mounted.move(-1)
  expect([mounted.from.value, mounted.to.value, mounted.atEnd.value]).toEqual([0, 120, true])
})

test('of a longer one its end, and on the way up and down never more than 120 nor beyond either end', () => {
  const list = signal(items(0, 200))
  const mounted = createMounted(list)
  const seen = [-1, -1, -1, 1, 1, 1].map(steps => {
    mounted.move(steps)
    return [mounted.from.value, mounted.to.value]
  })
  expect(seen).toEqual([
    [40, 160],
    [0, 120],
    [0, 120],
    [40, 160],
    [80, 200],
    [80, 200],
  ])
})

test('what is held stays when the list grows at both ends; at the end it goes along', () => {
  const list = signal(items(0, 200))
  const mounted = createMounted(list)
  const ids = () => list.value.slice(mounted.from.value, mounted.to.value).map(({ id }) => id)
  mounted.move(-1)
  const before = ids()
  list.value = items(-50, 230)
  expect(ids()).toEqual(before)
  expect(mounted.atEnd.value).toBe(false)
  mounted.move(Infinity)
  list.value = items(-50, 240)
  expect([ids().at(-1), ids().length, mounted.atEnd.value]).toEqual(['239', 120, true])
})
