// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { createKeys } from './keys.ts'

let stop = () => {}
afterEach(() => {
  stop()
  vi.restoreAllMocks()
})

function setUp() {
  const keys = createKeys()
  const onEscape = vi.fn()
  keys.bind(() => ({ Escape: onEscape }))
  stop = keys.start()
  return { onEscape, press: () => dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', cancelable: true })) }
}

it('calls the latest binding of a key, and keeps the key from the browser', () => {
  const { onEscape, press } = setUp()
  expect(press()).toBe(false)
  expect(onEscape).toHaveBeenCalledOnce()
})

it('takes letters by their place on a keyboard of another script, and as they are on others', () => {
  const keys = createKeys()
  const [onJ, onZ] = [vi.fn(), vi.fn()]
  keys.bind(() => ({ j: onJ, z: onZ }))
  stop = keys.start()
  const press = (key: string, code: string) => dispatchEvent(new KeyboardEvent('keydown', { key, code }))
  press('о', 'KeyJ')
  press('z', 'KeyY')
  expect([onJ.mock.calls.length, onZ.mock.calls.length]).toEqual([1, 1])
})

it('leaves Escape to the browser while a menu is open, which it closes', () => {
  const { onEscape, press } = setUp()
  // happy-dom knows no popovers.
  vi.spyOn(document, 'querySelector').mockImplementation(selector =>
    selector.includes(':popover-open') ? document.body : null,
  )
  expect(press()).toBe(true)
  expect(onEscape).not.toHaveBeenCalled()
})
