// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { createAlertSettings } from './alertSettings.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  localStorage.clear()
})

/** A browser in which the member answers so when it is asked for permission. */
function answer(permission: NotificationPermission) {
  const browser = { permission: 'default', requestPermission: async () => (browser.permission = permission) }
  vi.stubGlobal('Notification', browser)
  return browser
}

it('begins with the sound alone, and keeps what is chosen for the next page', async () => {
  answer('granted')
  const { choices, choose } = createAlertSettings('nora')
  expect(choices.value).toEqual({ sound: true, notifications: false, texts: false })
  await choose('sound', false)
  await choose('notifications', true)
  expect(createAlertSettings('nora').choices.value).toEqual({ sound: false, notifications: true, texts: false })
})

it('keeps what is chosen for the member alone: nobody else who signs in has asked to show what visitors write', async () => {
  answer('granted')
  const { choose } = createAlertSettings('nora')
  await choose('notifications', true)
  await choose('texts', true)
  expect(createAlertSettings('sam').choices.value).toEqual({ sound: true, notifications: false, texts: false })
})

it('follows what is chosen in another tab', async () => {
  answer('granted')
  const { choices } = createAlertSettings('nora')
  await createAlertSettings('nora').choose('sound', false)
  dispatchEvent(new Event('storage'))
  expect(choices.value.sound).toBe(false)
})

it('leaves notifications off when the browser refuses them, at once or later', async () => {
  const browser = answer('denied')
  const { choices, choose } = createAlertSettings('nora')
  await choose('notifications', true)
  expect(choices.value.notifications).toBe(false)
  answer('granted')
  await choose('notifications', true)
  expect(choices.value.notifications).toBe(true)
  vi.stubGlobal('Notification', browser)
  expect(createAlertSettings('nora').choices.value.notifications).toBe(false)
})
