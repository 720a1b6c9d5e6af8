import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { boxOf, converseByFile, InlineChat, script, target, version } from './displayModes.ts'
import { Chat, expect, test } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'
import { root } from './processes.ts'

test.describe('inline', () => {
  test('fills its target without the focus, closes to a launcher in its place, and comes into view when the page opens it', async ({
    page,
    platform,
  }) => {
    await test.step('fills its target, does not take the focus, ignores Escape, and closes to a launcher in its place', async () => {
      await openHtmlPage(page, script(platform, 'data-mode="inline" data-target="#chat" async') + target)
      const chat = new InlineChat(page)
      await expect(chat.panel).toBeVisible()
      expect(await boxOf(page, '.panel')).toEqual(await boxOf(page, '#chat'))
      await expect(page.locator('input[autofocus]')).toBeFocused()
      await expect(chat.launcher).toBeHidden()
      await expect(chat.panel.getByRole('button', { name: 'Close' })).toBeHidden()
      await chat.ask('How do I return something?', /30 days/)
      await chat.composer.press('Escape')
      await expect(chat.panel).toBeVisible()
      await page.evaluate(() => window.Natter.close())
      await expect(chat.panel).toBeHidden()
      expect((await boxOf(page, '.launcher')).y).toBe((await boxOf(page, '#chat')).y)
      await chat.launcher.click()
      await expect(chat.composer).toBeFocused()
      await expect(chat.panel).not.toHaveAttribute('aria-modal')
    })

    await test.step('is open again, without taking the focus, when the page hides and shows it', async () => {
      const chat = new InlineChat(page)
      await page.locator('input[autofocus]').focus()
      await page.evaluate(() => window.Natter.hide())
      await expect(chat.panel).toBeHidden()
      await page.evaluate(() => window.Natter.show())
      await expect(chat.transcript).toContainText('30 days')
      await expect(page.locator('input[autofocus]')).toBeFocused()

      // Before it is there, too.
      await openHtmlPage(
        page,
        `${target}${script(platform, 'data-mode="inline" data-target="#chat"')}<script>Natter.hide()</script>`,
      )
      await page.evaluate(() => window.Natter.ready)
      await page.waitForLoadState('networkidle')
      await expect(chat.panel).toHaveCount(0)
      await page.evaluate(() => window.Natter.show())
      await expect(chat.panel).toBeVisible()
    })

    await test.step('is brought into view with the focus when the page opens the chat', async () => {
      const far = '<div style="height:3000px"></div>'
      await openHtmlPage(page, script(platform, 'data-mode="inline" data-target="#chat"') + far + target)
      const chat = new InlineChat(page)
      await expect(chat.composer).toBeVisible()
      await expect(chat.composer).not.toBeInViewport()
      await page.evaluate(() => window.Natter.open())
      await expect(chat.composer).toBeFocused()
      await expect(chat.panel).toBeInViewport({ ratio: 1 })
    })
  })
})

test.describe("the site's own launcher", () => {
  const buttons = '<header><button class="help">Help</button></header><a class="help" href="/contact">Contact</a>'

  test('opens and closes the chat, shows its state, gets the focus back, and replaces our launcher unless the chat could not be loaded', async ({
    page,
    platform,
  }) => {
    await test.step('opens and closes the chat, shows its state, gets the focus back, and replaces our launcher', async () => {
      // The panel stays in the viewport of a page that is longer and transformed, and black is readable on a light accent.
      const styles =
        '<style>body { transform: scale(1); min-height: 3000px } :root { --natter-accent: #ffd43b }</style>'
      await openHtmlPage(page, styles + script(platform, 'data-launcher=".help"') + buttons)
      const chat = new Chat(page)
      const help = page.getByRole('button', { name: 'Help' })
      await expect(help).toHaveAttribute('aria-expanded', 'false')
      await help.click()
      await expect(chat.composer).toBeFocused()
      await expect(help).toHaveAttribute('aria-expanded', 'true')
      await expect(chat.launcher).toHaveCount(0)
      const bottom = async () => {
        const { y, height } = await boxOf(page, '.panel')
        return y + height
      }
      // Wait for the end of the opening animation.
      await expect.poll(bottom).toBe((page.viewportSize()?.height ?? 0) - 20)
      const onAccent = () =>
        chat.panel.evaluate(panel => getComputedStyle(panel).getPropertyValue('--on-accent').trim())
      expect(await onAccent()).toBe('#000')
      await chat.composer.press('Escape')
      await expect(help).toBeFocused()
      await expect(help).toHaveAttribute('aria-expanded', 'false')

      // A link works too, and so does one that is added later.
      await page.evaluate(() => document.body.append(document.querySelectorAll('.help')[1]?.cloneNode(true) as Node))
      await page.getByRole('link').last().click()
      await expect(chat.composer).toBeFocused()
      expect(page.url()).not.toContain('contact')
      await page.evaluate(() => window.Natter.destroy())
      await expect(help).not.toHaveAttribute('aria-expanded')
    })

    await test.step('is replaced by our launcher if the chat could not be loaded', async () => {
      await page.route('**/panel-*.js*', route => route.abort())
      await openHtmlPage(page, script(platform, 'data-launcher=".help"') + buttons)
      // Before that, a click on it belongs to the page.
      await page.evaluate(() => window.Natter.ready)
      await page.getByRole('button', { name: 'Help' }).click()
      const chat = new Chat(page)
      await expect(chat.launcher).toHaveAccessibleName('Couldn’t load the chat. Retry')
      await page.unrouteAll()
      await chat.open()
      await expect(chat.launcher).toHaveCount(0)
    })
  })
})

test.describe('<natter-chat>', () => {
  test('fills the element, follows its attributes, and is removed with it', async ({ page, platform }) => {
    const errors: string[] = []
    page.on('pageerror', error => errors.push(error.message))
    await openHtmlPage(
      page,
      `<script src="${platform.baseUrl}/natter.js" async></script>
      <div style="width:420px;height:500px"><natter-chat bot-id="${platform.botId}" style="height:100%"></natter-chat></div>`,
    )
    const chat = new InlineChat(page)
    await expect(chat.panel).toBeVisible()
    expect(await boxOf(page, '.panel')).toMatchObject({ width: 420, height: 500 })
    await chat.ask('How do I return something?', /30 days/)
    await expect(page.locator('natter-chat')).toHaveJSProperty('childElementCount', 0)

    // Moving the element keeps its widget. Changing the mode creates a new one.
    const moved = await page.evaluate(() => {
      const element = document.querySelector('natter-chat') as HTMLElement & { widget: unknown }
      const { widget } = element
      document.body.append(element)
      return Promise.resolve().then(() => element.widget === widget)
    })
    expect(moved).toBe(true)
    await page.locator('natter-chat').evaluate(element => element.setAttribute('mode', 'floating'))
    const floating = new Chat(page)
    await floating.open()
    await expect(floating.transcript).toContainText('30 days')
    await page.locator('natter-chat').evaluate(element => element.remove())
    await expect(floating.launcher).toHaveCount(0)
    expect(await page.evaluate(() => 'Natter' in window)).toBe(false)
    expect(errors).toEqual([])
  })
})

test.describe('the script', () => {
  test('replays calls made before it was loaded, with the snippet of the README', async ({
    page,
    platform,
    client,
  }) => {
    const errors: string[] = []
    page.on('pageerror', error => errors.push(error.message))
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const snippet = /<script>\n[\s\S]*?<\/script>/.exec(readme)?.[0] ?? ''
    const email = `${crypto.randomUUID()}@example.com`
    await client.contacts.create({ name: 'Ada Lovelace', email })
    const { token } = await client.contactTokens.create({ email })
    const calls = `<script>
      kept = window.Natter
      states = []
      ready = kept.ready
      kept.on('auth', ({ state }) => states.push(state))
      kept.auth.contacts.login({ token: '${token}' })
      kept.auth.contacts.login({ token: 'nonsense' })
      login = kept.auth.contacts.login({ token: '${token}' })
      kept.open()
    </script>`
    await openHtmlPage(page, snippet + calls + script(platform, 'async'))
    const chat = new Chat(page)
    await expect(chat.panel).toContainText('Chatting as Ada Lovelace')
    const name = await page.evaluate(() =>
      (window as never as { login: Promise<{ contact: { name: string } }> }).login.then(({ contact }) => contact.name),
    )
    expect(name).toBe('Ada Lovelace')
    await page.evaluate(() => (window as never as { ready: Promise<void> }).ready)
    expect(await page.evaluate(() => (window as never as { states: string[] }).states.at(-1))).toBe('identified')
    // The snippet has every method of the handle.
    const missing = await page.evaluate(() => {
      const { kept } = window as never as { kept: Record<string, unknown> & Window['Natter'] }
      const namesOf = (handle: object) => Object.keys(handle).filter(name => name !== 'auth')
      const contacts = Object.keys(window.Natter.auth.contacts).filter(name => name !== 'current')
      return [
        ...namesOf(window.Natter).filter(name => !(name in kept)),
        ...contacts.filter(name => !(name in kept.auth.contacts)),
      ]
    })
    expect(missing).toEqual([])
    // References that the page has kept to the snippet's handle still work.
    await page.evaluate(() => (window as never as { kept: { close(): void } }).kept.close())
    await expect(chat.panel).toBeHidden()
    await page.evaluate(() => (window as never as { kept: Window['Natter'] }).kept.auth.contacts.logout())
    expect(await page.evaluate(() => window.Natter.auth.state)).toBe('anonymous')
    expect(await page.evaluate(() => typeof (window as never as { q: unknown }).q)).toBe('undefined')
    expect(errors).toEqual([])
  })

  test('works as the single file of a pinned version, with its integrity hash', async ({ page, platform }) => {
    const requests = await converseByFile(page, platform, 'natter.all.js')
    expect(requests).toEqual([`/natter@${version}/natter.all.js`])
  })
})
