import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser } from '@playwright/test'
import { type Cluster, questions } from './cluster.ts'
import { callUntilAnswered, type Load } from './faults/clients.ts'
import type { Message } from './faults/consistency.ts'
import { answerTo } from './faults/ledger.ts'
import { expect, WidgetTab } from './faultyNetwork.ts'

/** A visitor with the widget open in one or more tabs, and what was sent in their conversation, by author. */
export interface Visitor {
  tabs: WidgetTab[]
  sentByAuthor: Map<string, string[]>
}

/** Opens the site in a new browser context. Without a token the visitor is anonymous. */
export async function openVisitor({ siteUrl }: Cluster, browser: Browser, token?: string, count = 1): Promise<Visitor> {
  const context = await browser.newContext()
  const tabs: WidgetTab[] = []
  while (tabs.length < count) {
    const tab = new WidgetTab(await context.newPage())
    await tab.open(siteUrl, tabs[0] ? undefined : token)
    tabs.push(tab)
  }
  return { tabs, sentByAuthor: new Map() }
}

/** Shared by all visitors, so that no two ask the same question. */
const nextQuestions = questions.values()
/** The responder reads only the last five unanswered messages. */
const mostUnanswered = 3
/** Tabs write no faster than their messages get through, however slow the machine is: the widget sends one at a time. */
const mostUnsent = 5

/** Long, because the widget's retry delay grows with the length of an outage. */
const timeoutMs = 90_000

/** Asks the bot questions, and waits for replies when too many are missing. */
export async function askBot({ tabs: [tab], sentByAuthor }: Visitor, { isOver }: Load): Promise<void> {
  const sentQuestions: string[] = []
  sentByAuthor.set('visitor', sentQuestions)
  while (!isOver()) {
    await pause(randomInt(300, 1200))
    const last = sentQuestions.slice(-mostUnanswered).map(answerTo)
    if (last.length === mostUnanswered && (await tab?.countReceived(last)) === 0) continue
    const question = nextQuestions.next().value ?? ''
    sentQuestions.push(question)
    await tab?.say(question)
  }
}

/** Writes in all tabs at once, with an agent whose first message silences the bot. */
export async function chatWithAgent({ tabs, sentByAuthor }: Visitor, load: Load, contactId: string): Promise<void> {
  const repeatedlySend = async (
    author: string,
    send: (text: string) => Promise<unknown>,
    hasReceived: (text: string) => Promise<boolean> = async () => true,
  ) => {
    const lines: string[] = []
    sentByAuthor.set(author, lines)
    do {
      const awaited = lines.at(-mostUnsent)
      if (awaited === undefined || (await hasReceived(awaited))) {
        const text = `${author} ${lines.length + 1}`
        lines.push(text)
        await send(text)
      }
      await pause(randomInt(300, 1200))
    } while (!load.isOver())
  }
  const sendAsAgent = (text: string) =>
    callUntilAnswered(load, 'POST', `/contacts/${contactId}/messages`, { json: { id: randomUUID(), text } })
  const agent = repeatedlySend('agent', sendAsAgent)
  await expect.poll(() => tabs[0]?.hasReceived('agent 1'), { timeout: timeoutMs }).toBe(true)
  const inTabs = tabs.map((tab, index) =>
    repeatedlySend(
      `tab ${index + 1}:`,
      text => tab.say(text),
      text => tab.hasReceived(text),
    ),
  )
  await Promise.all([agent, ...inTabs])
}

/** Waits until all tabs have received everything sent so far. */
export async function expectReceived({ tabs, sentByAuthor }: Visitor): Promise<void> {
  const last = [...sentByAuthor.values()].flatMap(lines => lines.at(-1) ?? [])
  for (const tab of tabs)
    for (const text of last) await expect.poll(() => tab.hasReceived(text), { timeout: timeoutMs }).toBe(true)
}

/** Expects that the store holds each sent message once and in each author's order, and that every tab shows exactly that. */
export async function expectStored({ tabs, sentByAuthor }: Visitor, conversations: Message[][]): Promise<Message[]> {
  const [[first = ''] = []] = sentByAuthor.values()
  const stored = conversations.find(messages => messages.some(({ text }) => text === first)) ?? []
  const texts = stored.map(({ text }) => text)
  for (const lines of sentByAuthor.values()) expect(texts.filter(text => lines.includes(text))).toEqual(lines)
  const spoken = stored.filter(({ author }) => author === 'visitor' || author === 'agent')
  expect(spoken).toHaveLength([...sentByAuthor.values()].flat().length)
  for (const tab of tabs) await tab.expectAll(texts)
  return stored
}
