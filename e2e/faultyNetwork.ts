import type { BrowserContext, Page } from '@playwright/test'
import type { NatterClient } from 'natter/sdk'
import { scale } from '../src/testScale.ts'
import { type FaultProxy, startFaultProxy } from './faultProxy.ts'
import { test as base, Chat, expect } from './fixtures.ts'
import { startHostPage } from './hostPage.ts'

/** A contact's conversation in a browser that reaches the platform through a fault proxy. */
export interface ProxiedChat {
  contactId: string
  proxy: FaultProxy
  /** Opens another tab of the same browser, with the panel open. The first tab signs in. */
  openTab(): Promise<WidgetTab>
  /** Sends a message as an agent, bypassing the proxy. It silences the bot. */
  sendAsAgent(text: string): Promise<void>
  /** The texts of all messages that the platform has stored, in order. */
  stored(): Promise<string[]>
}

declare global {
  interface Window {
    /** Texts of the `message` events. */
    receivedTexts: string[]
    /** Descriptions of `message` events that were out of order. */
    orderErrors: string[]
  }
}

/** Page object of a tab with the widget. */
export class WidgetTab {
  readonly page: Page
  readonly chat: Chat
  /** How many event streams of the tab are open. */
  openStreams = 0

  constructor(page: Page) {
    this.page = page
    this.chat = new Chat(page)
    const count = (change: number) => (request: { url(): string; method(): string }) => {
      if (request.method() === 'POST' && request.url().endsWith('/events/stream')) this.openStreams += change
    }
    page.on('request', count(1))
    page.on('requestfinished', count(-1))
    page.on('requestfailed', count(-1))
  }

  async open(url: string, token?: string): Promise<void> {
    await this.page.goto(url)
    await this.page.evaluate(async signInWith => {
      window.receivedTexts = []
      window.orderErrors = []
      let last = 0
      window.Natter.on('message', ({ seq, text }) => {
        if (seq <= last) window.orderErrors.push(`${text} (${seq}) came after ${last}`)
        last = seq
        window.receivedTexts.push(text)
      })
      if (signInWith) await window.Natter.auth.contacts.login({ token: signInWith })
      window.Natter.open()
    }, token)
    await expect(this.chat.composer).toBeVisible({ timeout: 30_000 })
  }

  say(text: string): Promise<void> {
    return this.page.evaluate(words => window.Natter.message({ text: words }), text)
  }

  /** Whether a `message` event with this text has been emitted. */
  hasReceived(text: string): Promise<boolean> {
    return this.page.evaluate(words => window.receivedTexts.includes(words), text)
  }

  /** How many of the texts are part of an emitted `message` event. */
  countReceived(texts: string[]): Promise<number> {
    return this.page.evaluate(
      parts => parts.filter(part => window.receivedTexts.some(text => text.includes(part))).length,
      texts,
    )
  }

  /** All shown messages of the test, in order, from `first` to `last`, including older pages. They end with a number or are from `answerTo`. */
  async read(first: string, last: string): Promise<string[]> {
    const shown = async () => {
      const bubbles = await this.chat.transcript.locator('[part~="message"]').allTextContents()
      return bubbles.filter(text => /\d$|The answer about/.test(text))
    }
    await expect(async () => {
      await this.chat.transcript.evaluate(log => {
        log.scrollTop = log.scrollHeight
      })
      expect((await shown()).at(-1)).toBe(last)
    }).toPass()
    let all = await shown()
    while (all[0] !== first) {
      const [top = ''] = all
      let now = all
      await expect(async () => {
        // Each time anew: a message that arrives in the same frame moves a transcript that was at its end back there.
        await this.chat.transcript.evaluate(log => {
          log.scrollTop = 1
          log.scrollTop = 0
        })
        now = await shown()
        expect(now.indexOf(top)).toBeGreaterThan(0)
      }).toPass()
      all = [...now.slice(0, now.indexOf(top)), ...all]
    }
    return all
  }

  /** Waits until the tab shows exactly these texts, in order, with nothing left to send. */
  async expectAll(texts: string[]): Promise<void> {
    await expect(this.chat.panel).not.toContainText(/Sending|Waiting to send|Not sent/, { timeout: 30_000 })
    const [first = ''] = texts
    const last = texts.at(-1) ?? ''
    await expect(async () => expect(await this.read(first, last)).toEqual(texts)).toPass({ timeout: 60_000 })
    expect(await this.page.evaluate(() => window.orderErrors)).toEqual([])
  }
}

export { expect }

export const test = base.extend<{ proxiedChat: ProxiedChat }>({
  proxiedChat: async ({ context, platform, client }, use) => {
    const proxy = await startFaultProxy(platform.baseUrl)
    const hostPage = await startHostPage(platform, proxy.baseUrl)
    await use(await createProxiedChat(context, client, proxy, hostPage.url))
    await context.close()
    await hostPage.stop()
    await proxy.stop()
  },
})

async function createProxiedChat(
  context: BrowserContext,
  client: NatterClient,
  proxy: FaultProxy,
  url: string,
): Promise<ProxiedChat> {
  const email = `${crypto.randomUUID()}@example.com`
  const { id: contactId } = await client.contacts.create({ name: 'Ada Lovelace', email })
  const { token } = await client.contactTokens.create({ id: contactId })
  let tabs = 0
  return {
    contactId,
    proxy,
    async openTab() {
      const tab = new WidgetTab(await context.newPage())
      await tab.open(url, tabs++ === 0 ? token : undefined)
      await expect(tab.chat.panel).toContainText('Chatting as', { timeout: 30_000 })
      return tab
    },
    async sendAsAgent(text) {
      await client.conversations.messages.send({ contactId }, { text })
    },
    async stored() {
      const texts: string[] = []
      for (let before = 2 ** 31; before > 1; ) {
        const page = await client.conversations.messages.list({ contactId }, { before, limit: 100 })
        texts.unshift(...page.map(({ text }) => text))
        before = page[0]?.seq ?? 1
      }
      return texts
    },
  }
}

/** Sends a message and waits until the tab receives it from the platform. */
async function say(tab: WidgetTab, text: string): Promise<void> {
  await tab.say(text)
  await expect.poll(() => tab.hasReceived(text), { timeout: 30_000, intervals: [20] }).toBe(true)
}

/** Makes the widget retry immediately, as when the visitor keeps returning to the tab. */
const keepRetrying = ({ page }: WidgetTab) =>
  page.evaluate(() => {
    setInterval(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })), 50)
  })

/** Waits until the platform and all tabs have exactly these messages, each author's in order. */
export async function expectEverywhere(proxiedChat: ProxiedChat, tabs: WidgetTab[], sent: string[]): Promise<void> {
  const missing = async () => {
    const stored = await proxiedChat.stored()
    return sent.filter(text => !stored.includes(text))
  }
  await expect.poll(missing, { timeout: 30_000 }).toEqual([])
  const stored = await proxiedChat.stored()
  expect(stored.toSorted()).toEqual(sent.toSorted())
  expect(own(stored)).toEqual(own(sent))
  for (const tab of tabs) await tab.expectAll(stored)
}

const own = (texts: string[]): string[] => texts.filter(text => text.startsWith('visitor'))

/** Exchanges messages while connections whose request line matches are cut after ever more bytes, `step` more each time. */
export async function sweepCuts(
  proxiedChat: ProxiedChat,
  direction: 'requestBytes' | 'responseBytes',
  cut: RegExp,
  step: number = scale.cuts.step,
): Promise<void> {
  const { upTo } = scale.cuts
  await proxiedChat.sendAsAgent('agent 0')
  const tab = await proxiedChat.openTab()
  await keepRetrying(tab)
  let connections = 0
  let cutAfter = scale.seed % step
  proxiedChat.proxy.plan(request => {
    if (!cut.test(request)) return {}
    // A page of the history is longer than the other responses.
    if (/^POST .*\/messages\/list /.test(request)) return { [direction]: 20 * upTo }
    // Every second connection lives just long enough for one message to get through.
    if (connections++ % 2) return { [direction]: upTo }
    cutAfter += step
    return { [direction]: cutAfter - step }
  })
  proxiedChat.proxy.breakAll('close')
  const sent = ['agent 0']
  for (let count = 1; cutAfter <= upTo; count++) {
    sent.push(`visitor ${count}`, `agent ${count}`)
    await Promise.all([say(tab, `visitor ${count}`), proxiedChat.sendAsAgent(`agent ${count}`)])
  }
  expect(proxiedChat.proxy.broken()).toBeGreaterThan(upTo / step)
  await expectEverywhere(proxiedChat, [tab], sent)
  console.info(`${proxiedChat.proxy.broken()} connections cut, ${sent.length} messages`)
}
