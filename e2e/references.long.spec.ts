import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { BotProfile } from '../src/contract/index.ts'
import { textsIn } from '../src/widget/i18n/locales.ts'
import { botProfile, problem, reply } from '../src/widget/testing/fakePlatform.ts'
import { type Chat, expect, type FakeSite, openWithHtml, test } from './fakeSite.ts'
import { root } from './processes.ts'
import { choose, draftFiles, messageFiles, pdfFile, pngFile, textFile } from './testFiles.ts'

// The panel as it was when somebody looked at it last. After a change that is meant to be seen: run with
// `--update-snapshots`, and look at the pictures in references/ before they are committed.

// All text is in a font that comes with the tests: none of the pictures depends on what is installed.
const fonts = join(root, 'node_modules/@fontsource-variable/rubik/files')
const faces = ['arabic', 'latin'].map(
  script => `@font-face {
    font-family: Rubik ${script};
    font-weight: 300 900;
    src: url(/fonts/rubik-${script}-wght-normal.woff2);
  }`,
)
const head = `<style>${faces.join('')}
  :root { --natter-font: "Rubik latin", "Rubik arabic" }
  body { background: #888; font-family: "Rubik latin", "Rubik arabic" }
</style>`

const markdown = `## Size guide

Measure around the **fullest part** of the chest, see [our page](https://acme.example/sizes):

| Size | Chest | Length | Where to measure |
|---|--:|--:|---|
| S | 88 cm | 70 cm | Around the fullest part |
| M | 94 cm | 72 cm | Around the fullest part |

- Larger for *coats*
- Smaller for shirts

> Between two sizes? Ask us.`

/** Hides days and times, whose formatters differ between versions of the browser. */
const stylePath = join(root, 'e2e/references/withoutTimes.css')

interface Scene {
  page: Page
  fakeSite: FakeSite
  chat: Chat
}

/** Opens the chat on a page with the fonts, on a fixed day, for a visitor who has not been there before. */
async function openChat(
  { page, fakeSite, chat }: Scene,
  attributes = '',
  more: Partial<BotProfile> = {},
): Promise<void> {
  await page.goto('about:blank')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(0)
  await page.clock.setFixedTime('2026-03-14T11:00:00.000Z')
  await page.route('**/fonts/*', route =>
    route.fulfill({ body: readFileSync(join(fonts, new URL(route.request().url()).pathname.slice('/fonts/'.length))) }),
  )
  const profile = {
    ...botProfile,
    name: 'Acme Outfitters',
    subtitle: 'Answers at once',
    greeting: 'Hello!\nWhat can I do for you?',
    quickReplies: ['Where is my order?'],
    ...more,
  }
  fakeSite.platform.intercept = (_, path) => (path === '' ? reply(200, profile) : undefined)
  const body = `<p>Latin عربي</p><script src="/natter.js" data-bot-id="bot" data-persist="memory" ${attributes}></script>`
  await openWithHtml(page, fakeSite, { head, body })
  await page.evaluate(() => document.fonts.ready)
  await chat.open()
  await expect(chat.transcript).toContainText('Hello')
}

async function expectReference({ chat }: Scene, name: string): Promise<void> {
  // Edges of letters are drawn a little differently from machine to machine; what moves by a pixel is more than that.
  await expect(chat.panel).toHaveScreenshot(`${name}.png`, { maxDiffPixels: 200, stylePath })
}

async function converse({ fakeSite, chat }: Scene, sent = 'Sent'): Promise<void> {
  await chat.send('Which size do I need?')
  await expect(chat.panel).toContainText(sent)
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  const { messages } = fakeSite.visitor()
  fakeSite.platform.say(messages, { text: markdown, format: 'markdown', createdAt: '2026-03-14T11:00:00.000Z' })
  await expect(chat.transcript.getByRole('heading', { name: 'Size guide' })).toBeVisible()
}

test.use({ reducedMotion: 'reduce' })

const createdAt = '2026-03-14T11:00:00.000Z'
const nora = { author: 'agent', sender: { name: 'Nora' }, createdAt } as const

test('looks as it did: a conversation with Markdown, the menu, and the question before a chat is ended', async ({
  page,
  fakeSite,
  chat,
}) => {
  await openChat({ page, fakeSite, chat })
  await expectReference({ page, fakeSite, chat }, 'greeting')
  await converse({ page, fakeSite, chat })
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectReference({ page, fakeSite, chat }, `markdown-${colorScheme}`)
  }
  await chat.panel.getByRole('button', { name: 'More' }).press('Enter')
  await expect(chat.panel.getByRole('menuitemcheckbox')).toBeFocused()
  await expectReference({ page, fakeSite, chat }, 'menu')
  await chat.panel.getByRole('menuitem').click()
  await expect(chat.panel.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await expectReference({ page, fakeSite, chat }, 'end-chat')
})

test('looks as it did: what people and the platform do', async ({ page, fakeSite, chat }) => {
  await test.step('a message that was not sent', async () => {
    await openChat({ page, fakeSite, chat })
    fakeSite.platform.intercept = (_, path) => (path === '/messages' ? problem(400, 'invalid_body') : undefined)
    await chat.send('The parcel number is A-1042')
    await expect(chat.panel).toContainText('Not sent.')
    await expectReference({ page, fakeSite, chat }, 'not-sent')
  })
  await test.step('signing in', async () => {
    await openChat({ page, fakeSite, chat })
    const held = Promise.withResolvers<void>()
    await page.route('**/widget/session/retrieve', async route => {
      await held.promise
      await route.continue()
    })
    const { token } = fakeSite.contact('Ada Lovelace', 0)
    await page.evaluate(token => void window.Natter.auth.contacts.login({ token }), token)
    await expect(chat.panel).toContainText('Signing you in…')
    await expect(chat.composer).toBeFocused()
    await expectReference({ page, fakeSite, chat }, 'signing-in')
    held.resolve()
    await expect(chat.transcript).toContainText('Good to see you')
    await expectReference({ page, fakeSite, chat }, 'signed-in')
  })
  await test.step('a person joins, a message is removed, and the bot answers again', async () => {
    await openChat({ page, fakeSite, chat })
    await chat.say('Talk to a person')
    await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
    const { platform } = fakeSite
    const { messages } = fakeSite.visitor()
    const event = (event: string) => platform.say(messages, { author: 'system', text: '', event, createdAt })
    event('handover_requested')
    platform.say(messages, { ...nora, text: 'Hello, I am looking into it.' })
    platform.say(messages, { ...nora, text: 'It arrives on Monday.' })
    platform.say(messages, { ...nora, text: 'No, on Tuesday.' })
    platform.remove(messages, messages.length - 1)
    event('handed_back')
    await expect(chat.transcript).toContainText('You’re talking to the assistant again')
    await expect(chat.transcript).toContainText('This message was removed.')
    await expectReference({ page, fakeSite, chat }, 'people')
  })
  await test.step('the preview of a message', async () => {
    await openChat({ page, fakeSite, chat })
    await chat.say('Where is my order?')
    await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
    await chat.composer.press('Escape')
    const text = 'It is on its way. It takes up to three days until it arrives, sometimes four.'
    fakeSite.platform.say(fakeSite.visitor().messages, { ...nora, text })
    const card = page.locator('[part~="preview"]')
    await expect(card).toContainText('It is on its way.')
    await expect(card).toHaveScreenshot('preview.png', { maxDiffPixels: 200 })
  })
})

test('looks as it did: in Arabic, and with all that a bot can have', async ({ page, fakeSite, chat }) => {
  await test.step('in Arabic', async () => {
    const strings = await textsIn('ar')
    await openChat({ page, fakeSite, chat }, 'data-locale="ar"')
    await converse({ page, fakeSite, chat }, strings.sent)
    await expectReference({ page, fakeSite, chat }, 'arabic')
  })
  await test.step('a rated answer with sources, and one that streams in', async () => {
    await openChat({ page, fakeSite, chat }, '', { ratings: true })
    await converse({ page, fakeSite, chat })
    const { messages } = fakeSite.visitor()
    const sources = [
      { title: 'Sizes of coats and jackets', url: 'https://shop.example/sizes' },
      { title: 'How to measure', url: 'https://shop.example/measure' },
    ]
    fakeSite.platform.say(messages, { text: 'For coats, one size larger.', rating: 'up', sources, createdAt })
    fakeSite.platform.emit(messages, {
      event: 'message.delta',
      data: { id: 'next', offset: 0, text: 'And for shirts ' },
    })
    await expect(chat.panel.getByRole('button', { name: 'Stop the answer' })).toBeVisible()
    await expect(chat.transcript.getByRole('button', { name: 'Helpful', exact: true })).toHaveCount(1)
    await expectReference({ page, fakeSite, chat }, 'answers')
  })
  await test.step('files in the text field and in messages', async () => {
    await openChat({ page, fakeSite, chat }, '', { attachments: true })
    const { platform } = fakeSite
    const profile = platform.intercept
    const sky = (x: number, y: number): [number, number, number] => [90 + 120 * y, 130 + 80 * y, 230 - 110 * x * y]
    await choose(chat, pngFile('Jacket.png', [300, 200], sky), textFile('Notes about the order, in many words.txt'))
    await expect(draftFiles(chat).locator('canvas')).toHaveCount(1)
    // Both are uploaded: only the next one is refused.
    await expect.poll(() => platform.files.stored.size).toBe(2)
    platform.intercept = (method, path, init) =>
      method === 'PUT' ? problem(415, 'file_refused') : profile(method, path, init)
    await choose(chat, textFile('Drawing.svg'))
    await expect(draftFiles(chat)).toContainText('Only PNG')
    await expectReference({ page, fakeSite, chat }, 'files-draft')
    platform.intercept = profile
    await draftFiles(chat).getByRole('button', { name: 'Remove Drawing.svg' }).click()
    await chat.send('Is this the right one?')
    await expect(chat.panel).toContainText('Sent')
    await expect.poll(() => platform.streams.size).toBe(1)
    const terms = platform.files.add('terms', 'Terms.pdf', new Uint8Array(pdfFile('').buffer))
    platform.say(fakeSite.visitor().messages, { ...nora, text: 'Yes.', attachments: [terms] })
    await expect(messageFiles(chat)).toHaveCount(2)
    await expect(messageFiles(chat).locator('canvas')).toHaveCount(1)
    await expectReference({ page, fakeSite, chat }, 'files')
  })
})

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 700 } })

  test('looks as it did: on a phone', async ({ page, fakeSite, chat }) => {
    await openChat({ page, fakeSite, chat })
    await converse({ page, fakeSite, chat })
    await expectReference({ page, fakeSite, chat }, 'phone')
  })
})
