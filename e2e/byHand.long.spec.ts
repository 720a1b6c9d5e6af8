import { expectNothingLeft } from 'natter/testing'
import { readGuide, section } from '../src/guides.ts'
import { test as base, Chat, expect } from './fixtures.ts'
import { authState, type RecipeSite, signIn, startRecipeSite } from './recipeSite.ts'

const guide = 'src/widget/README.md'
/** The first script that begins a line. */
const firstScript = (text: string) => /^<script>\n[\s\S]*?^<\/script>/m.exec(text)?.[0] ?? ''

const test = base.extend<{ recipeSite: RecipeSite }>({
  recipeSite: async ({ platform }, use) => {
    const tag = `<script src="${platform.baseUrl}/natter.js" data-bot-id="${platform.botId}" async
        data-refresh-token="chatToken"></script>`
    const scripts = `${firstScript(readGuide('README.md'))}${tag}${firstScript(section(guide, 'By hand'))}`
    const html = `<!doctype html><html lang="en"><link rel="icon" href="data:,">${scripts}</html>`
    const site = await startRecipeSite(platform, 'byHand.ts', html)
    await use(site)
    await site.close()
  },
})

test('the page of a site that signs in by hand keeps an anonymous chat, and uses one contact token until it is revoked', async ({
  page,
  recipeSite,
  client,
}) => {
  await test.step('does not disturb an anonymous chat', async () => {
    const question = `Do you ship to Norway? ${crypto.randomUUID().slice(0, 8)}`
    const chat = new Chat(page)
    await page.goto(recipeSite.url)
    await chat.open()
    await chat.say(question)
    const refused = page.waitForResponse(response => response.url().endsWith('/chat-token'))
    await page.reload()
    expect((await refused).status()).toBe(401)
    await chat.open()
    await expect(chat.transcript).toContainText(question)
  })

  await test.step('uses one contact token, however often it is loaded, in two tabs', async () => {
    await signIn(page, recipeSite)
    const second = await page.context().newPage()
    for (let load = 0; load < 3; load++) {
      for (const each of [page, second]) {
        await each.goto(recipeSite.url)
        await expect.poll(() => authState(each)).toBe('identified')
      }
    }
    expect(recipeSite.tokens.size).toBe(1)
  })

  await test.step('replaces a token that the platform has revoked', async () => {
    const [token = ''] = recipeSite.tokens
    await client.contactTokens.revoke(token)
    await expect.poll(() => authState(page)).toBe('anonymous')
    await page.reload()
    await expect.poll(() => authState(page)).toBe('identified')
    expect(recipeSite.tokens.size).toBe(2)
  })
})

test("the page of a site that signs in by hand logs the chat out with the site, and when the site's session has ended", async ({
  page,
  recipeSite,
}) => {
  await test.step('signs out of the chat and of the site', async () => {
    const session = await signIn(page, recipeSite)
    await page.goto(recipeSite.url)
    await expect.poll(() => authState(page)).toBe('identified')
    const [, signOut = ''] =
      /Sign out of the chat and of your site at the same time[^`]*```js\n([^`]*)```/.exec(readGuide(guide)) ?? []
    expect(signOut).toContain('logout')
    await page.evaluate(code => Function(`return (async () => { ${code} })()`)(), signOut)
    await expect.poll(() => authState(page)).toBe('anonymous')
    expect(recipeSite.sessions.get(session)).toMatchObject({ chat: null })
  })

  await test.step("logs the chat out when the site's session has ended, and shows nothing of the conversation", async () => {
    const secret = `My parcel was opened ${crypto.randomUUID().slice(0, 8)}`
    const chat = new Chat(page)
    const session = await signIn(page, recipeSite)
    await page.goto(recipeSite.url)
    await chat.open()
    await expect(chat.panel).toContainText('Chatting as Ada Lovelace')
    await chat.say(secret)

    recipeSite.sessions.delete(session)
    const refused = page.waitForResponse(response => response.status() === 401)
    await page.reload()
    await refused
    await expect.poll(() => authState(page)).toBe('anonymous')
    await chat.open()
    await expect(chat.transcript).toContainText('What can I do for you?')
    await expectNothingLeft(page, { texts: [secret, 'Lovelace', /c:[0-9a-f]{64}/], memory: false })
  })
})
