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
  const { choices, choose } = createAlertSettings()
  expect(choices.value).toEqual({ sound: true, notifications: false, texts: false })
  await choose('sound', false)
  await choose('notifications', true)
  expect(createAlertSettings().choices.value).toEqual({ sound: false, notifications: true, texts: false })
})

it('follows what is chosen in another tab', async () => {
  answer('granted')
  const { choices } = createAlertSettings()
  await createAlertSettings().choose('sound', false)
  dispatchEvent(new Event('storage'))
  expect(choices.value.sound).toBe(false)
})

it('leaves notifications off when the browser refuses them, at once or later', async () => {
  const browser = answer('denied')
  const { choices, choose } = createAlertSettings()
  await choose('notifications', true)
  expect(choices.value.notifications).toBe(false)
  answer('granted')
  await choose('notifications', true)
  expect(choices.value.notifications).toBe(true)
  vi.stubGlobal('Notification', browser)
  expect(createAlertSettings().choices.value.notifications).toBe(false)
})
