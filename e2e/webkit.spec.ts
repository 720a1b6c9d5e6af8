import { expect, test } from './fakeSite.ts'
import { driveWebKit } from './webDriver.ts'

const driver = process.env['NATTER_WEBKIT'] ?? ''

const readPanel = `return document.querySelector('[data-natter]')?.shadowRoot.querySelector('.panel')?.innerText ?? ''`
const readStorage = `return JSON.stringify([{ ...localStorage }, { ...sessionStorage }])`

test('in WebKit a visitor can chat, reload, sign in and sign out', async ({ fakeSite }) => {
  const page = await driveWebKit(driver)
  const panel = () => page.run<string>(readPanel)
  try {
    await page.go(fakeSite.url())
    await page.click('.launcher')
    await expect.poll(panel).toContain('Hello')
    await page.type('textarea', 'Is anybody there?\uE007')
    await expect.poll(panel).toContain('Sent')
    await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
    const anonymous = fakeSite.visitor()
    fakeSite.platform.emit(anonymous.messages, { event: 'message.delta', data: { id: 'm2', offset: 0, text: 'Ye' } })
    fakeSite.platform.say(anonymous.messages, { text: 'Yes, **here**', format: 'markdown' })
    await expect.poll(panel).toContain('Yes, here')

    await page.go(fakeSite.url())
    await page.click('.launcher')
    await expect.poll(panel).toContain('Is anybody there?')

    const ada = fakeSite.contact('Ada Lovelace', 200)
    await page.run('window.Natter.auth.contacts.login({ token: arguments[0] })', ada.token)
    await expect.poll(panel).toContain('Chatting as Ada Lovelace')
    await expect.poll(panel).toContain('Message 200.')
    expect(await panel()).not.toContain('Is anybody there?')

    await page.run('window.Natter.auth.contacts.logout()')
    await expect.poll(panel).not.toContain('Message 200.')
    expect(await panel()).not.toMatch(/Ada|Message/)
    await expect.poll(() => page.run<string>(readStorage)).not.toContain(ada.token)
    expect(fakeSite.platform.sessions.get(ada.token)?.ended).toBe('logged_out')
  } finally {
    await page.end()
  }
})
