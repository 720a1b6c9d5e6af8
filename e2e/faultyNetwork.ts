import type { BrowserContext, Page } from '@playwright/test'
import type { NatterClient } from 'natter/sdk'
import { type FaultProxy, startFaultProxy } from './faultProxy.ts'
import { test as base, Chat, expect } from './fixtures.ts'
import { startHostPage } from './hostPage.ts'

/** A contact's conversation, held in a browser that reaches the platform through a proxy. */
export interface Talk {
  contactId: string
  proxy: FaultProxy
  /** Another tab of the same browser with the panel open; the first one signs in. */
  openTab(): Promise<Tab>
  /** An agent's words, which silence the bot and don't take the way through the proxy. */
  agentSays(text: string): Promise<void>
  /** All that the platform has, in order. */
  stored(): Promise<string[]>
}

declare global {
  interface Window {
    /** Texts of the `message` events, and what was wrong with their order. */
    told: string[]
    wrong: string[]
  }
}

/** One tab, and what it shows and tells. */
export class Tab {
  readonly page: Page
  readonly chat: Chat
  /** Of its event streams, those that are open. */
  streams = 0

  constructor(page: Page) {
    this.page = page
    this.chat = new Chat(page)
    const count = (change: number) => (request: { url(): string; method(): string }) => {
      if (request.method() === 'POST' && request.url().endsWith('/events/stream')) this.streams += change
    }
    page.on('request', count(1))
    page.on('requestfinished', count(-1))
    page.on('requestfailed', count(-1))
  }

  async open(url: string, token?: string): Promise<void> {
    await this.page.goto(url)
    await this.page.evaluate(async signInWith => {
      window.told = []
      window.wrong = []
      let last = 0
      window.Natter.on('message', ({ seq, text }) => {
        if (seq <= last) window.wrong.push(`${text} (${seq}) came after ${last}`)
        last = seq
        window.told.push(text)
      })
      if (signInWith) await window.Natter.auth.contacts.login({ token: signInWith })
      window.Natter.open()
    }, token)
    await expect(this.chat.composer).toBeVisible({ timeout: 30_000 })
  }

  say(text: string): Promise<void> {
    return this.page.evaluate(words => window.Natter.message({ text: words }), text)
  }

  /** Whether the `message` event has told of it. */
  hasHeard(text: string): Promise<boolean> {
    return this.page.evaluate(words => window.told.includes(words), text)
  }

  /** How many of the texts stand in what the `message` event has told of. */
  countHeard(texts: string[]): Promise<number> {
    return this.page.evaluate(
      parts => parts.filter(part => window.told.some(text => text.includes(part))).length,
      texts,
    )
  }

  /** All that it shows, in order, from `last` back to `first`, older pages too; lines of a test's are numbered or `answerTo` them. */
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
      await this.chat.transcript.evaluate(log => {
        log.scrollTop = 1
        log.scrollTop = 0
      })
      let now = all
      await expect(async () => {
        now = await shown()
        expect(now.indexOf(top)).toBeGreaterThan(0)
      }).toPass()
      all = [...now.slice(0, now.indexOf(top)), ...all]
    }
    return all
  }

  /** Waits until it shows exactly that, whole and in order, with nothing left to send. */
  async expectAll(texts: string[]): Promise<void> {
    await expect(this.chat.panel).not.toContainText(/Sending|Waiting to send|Not sent/, { timeout: 30_000 })
    const [first = ''] = texts
    const last = texts.at(-1) ?? ''
    await expect(async () => expect(await this.read(first, last)).toEqual(texts)).toPass({ timeout: 60_000 })
    expect(await this.page.evaluate(() => window.wrong)).toEqual([])
  }
}

export { expect }

export const test = base.extend<{ talk: Talk }>({
  talk: async ({ context, platform, client }, use) => {
    const proxy = await startFaultProxy(platform.baseUrl)
    const hostPage = await startHostPage(platform, proxy.baseUrl)
    await use(await createTalk(context, client, proxy, hostPage.url))
    await context.close()
    await hostPage.stop()
    await proxy.stop()
  },
})

async function createTalk(
  context: BrowserContext,
  client: NatterClient,
  proxy: FaultProxy,
  url: string,
): Promise<Talk> {
  const email = `${crypto.randomUUID()}@example.com`
  const { id: contactId } = await client.contacts.create({ name: 'Ada Lovelace', email })
  const { token } = await client.contactTokens.create({ id: contactId })
  let tabs = 0
  return {
    contactId,
    proxy,
    async openTab() {
      const tab = new Tab(await context.newPage())
      await tab.open(url, tabs++ === 0 ? token : undefined)
      await expect(tab.chat.panel).toContainText('Chatting as', { timeout: 30_000 })
      return tab
    },
    async agentSays(text) {
      await client.conversations.send({ contactId }, { text })
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
