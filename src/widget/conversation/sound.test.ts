// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest'
import { createTabEntries } from '../store/tabEntries.ts'
import { Sound } from './sound.ts'

const create = (open = () => localStorage) =>
  new Sound('natter:bot:sound', createTabEntries(open, 'natter:bot:identity'))

beforeEach(() => localStorage.clear())

test('the setting is off at first, and is restored on the next page', () => {
  const sound = create()
  expect(sound.isOn.value).toBe(false)
  sound.set(true)
  expect([sound.isOn.value, create().isOn.value]).toEqual([true, true])
})

test('a change in another tab takes effect when the setting is read again', () => {
  const [here, elsewhere] = [create(), create()]
  elsewhere.set(true)
  here.refresh()
  expect(here.isOn.value).toBe(true)
})

test('if storage is blocked, the setting lasts until the page is left', () => {
  const sound = create(() => {
    throw new DOMException('Access is denied', 'SecurityError')
  })
  sound.set(true)
  sound.refresh()
  expect(sound.isOn.value).toBe(true)
})
