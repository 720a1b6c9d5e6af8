import { type ReadonlySignal, signal } from '@preact/signals'
import { cleanup, renderHook } from '@testing-library/preact'
import { afterEach, expect, test } from 'vitest'
import { useMessageWindow } from './scrolling.ts'

afterEach(cleanup)

const setUp = (list: ReadonlySignal<readonly { id: string }[]>) =>
  renderHook(() => useMessageWindow(list)).result.current
const items = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => ({ id: `${from + index}` }))

test('a list of up to 120 messages is mounted as a whole', () => {
  const list = signal(items(0, 120))
  const messageWindow = setUp(list)
  messageWindow.moveUp()
  expect([messageWindow.from.value, messageWindow.to.value, messageWindow.isAtEnd.value]).toEqual([0, 120, true])
})

test('of a longer list the end is mounted, and moving never mounts more than 120 rows or leaves the list', () => {
  const list = signal(items(0, 200))
  const messageWindow = setUp(list)
  const { moveUp, moveDown } = messageWindow
  const seen = [moveUp, moveUp, moveUp, moveDown, moveDown, moveDown].map(move => {
    move()
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

test('the window stays in place when the list grows at either end, but follows new messages at the end', () => {
  const list = signal(items(0, 200))
  const messageWindow = setUp(list)
  const ids = () => list.value.slice(messageWindow.from.value, messageWindow.to.value).map(({ id }) => id)
  messageWindow.moveUp()
  const before = ids()
  list.value = items(-50, 230)
  expect(ids()).toEqual(before)
  expect(messageWindow.isAtEnd.value).toBe(false)
  messageWindow.moveToEnd()
  list.value = items(-50, 240)
  expect([ids().at(-1), ids().length, messageWindow.isAtEnd.value]).toEqual(['239', 120, true])
})
