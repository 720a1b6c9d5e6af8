import { signal } from '@preact/signals-core'
import { expect, test } from 'vitest'
import { createMessageWindow } from './useMessageWindow.ts'

const items = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => ({ id: `${from + index}` }))

test('a list of up to 120 stands there whole, whatever is asked for', () => {
  const list = signal(items(0, 120))
  const messageWindow = createMessageWindow(list)
  messageWindow.move(-1)
  expect([messageWindow.from.value, messageWindow.to.value, messageWindow.atEnd.value]).toEqual([0, 120, true])
})

test('of a longer one its end, and on the way up and down never more than 120 nor beyond either end', () => {
  const list = signal(items(0, 200))
  const messageWindow = createMessageWindow(list)
  const seen = [-1, -1, -1, 1, 1, 1].map(steps => {
    messageWindow.move(steps)
    return [messageWindow.from.value, messageWindow.to.value]
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
  const messageWindow = createMessageWindow(list)
  const ids = () => list.value.slice(messageWindow.from.value, messageWindow.to.value).map(({ id }) => id)
  messageWindow.move(-1)
  const before = ids()
  list.value = items(-50, 230)
  expect(ids()).toEqual(before)
  expect(messageWindow.atEnd.value).toBe(false)
  messageWindow.move(Infinity)
  list.value = items(-50, 240)
  expect([ids().at(-1), ids().length, messageWindow.atEnd.value]).toEqual(['239', 120, true])
})
