import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser } from '@playwright/test'
import { type Cluster, questions } from './cluster.ts'
import { insist, type Load } from './faults/clients.ts'
import type { Message } from './faults/consistency.ts'
import { answerTo } from './faults/ledger.ts'
import { expect, Tab } from './faultyNetwork.ts'

/** Somebody with the widget open in some tabs, and all that was said in their conversation, by who said it. */
export interface Visitor {
  tabs: Tab[]
  said: Map<string, string[]>
}

/** Opens the site in a browser of its own; without a token nobody knows who it is. */
export async function enter({ siteUrl }: Cluster, browser: Browser, token?: string, count = 1): Promise<Visitor> {
  const context = await browser.newContext()
  const tabs: Tab[] = []
  while (tabs.length < count) {
    const tab = new Tab(await context.newPage())
    await tab.open(siteUrl, tabs[0] ? undefined : token)
    tabs.push(tab)
  }
  return { tabs, said: new Map() }
}

/** Of all questions no visitor asks the same. */
const left = questions.values()
/** The responder looks at the last five of what stands unanswered. */
const mostUnanswered = 3

/** The widget's own grows with what it has waited for. */
const patienceMs = 90_000

/** Asks the bot, and waits for its answers now and then. */
export async function ask({ tabs: [tab], said }: Visitor, { isOver }: Load): Promise<void> {
  const asked: string[] = []
  said.set('visitor', asked)
  while (!isOver()) {
    await pause(randomInt(300, 1200))
    const last = asked.slice(-mostUnanswered).map(answerTo)
    if (last.length === mostUnanswered && (await tab?.countHeard(last)) === 0) continue
    const question = left.next().value ?? ''
    asked.push(question)
    await tab?.say(question)
  }
}

/** Talks in all tabs at once with an agent, whose first words silence the bot. */
export async function chat({ tabs, said }: Visitor, load: Load, contactId: string): Promise<void> {
  const talk = async (who: string, say: (text: string) => Promise<unknown>) => {
    const lines: string[] = []
    said.set(who, lines)
    do {
      const text = `${who} ${lines.length + 1}`
      lines.push(text)
      await say(text)
      await pause(randomInt(300, 1200))
    } while (!load.isOver())
  }
  const answer = (text: string) =>
    insist(load, 'POST', `/contacts/${contactId}/messages`, { json: { id: randomUUID(), text } })
  const agent = talk('agent', answer)
  await expect.poll(() => tabs[0]?.hasHeard('agent 1'), { timeout: patienceMs }).toBe(true)
  await Promise.all([agent, ...tabs.map((tab, index) => talk(`tab ${index + 1}:`, text => tab.say(text)))])
}

/** Waits until all tabs have heard all that has been said so far. */
export async function expectHeard({ tabs, said }: Visitor): Promise<void> {
  const last = [...said.values()].flatMap(lines => lines.at(-1) ?? [])
  for (const tab of tabs)
    for (const text of last) await expect.poll(() => tab.hasHeard(text), { timeout: patienceMs }).toBe(true)
}

/** Expects that the store holds what was said, once and as everybody has said it, and that every tab shows just that. */
export async function expectKept({ tabs, said }: Visitor, conversations: Message[][]): Promise<Message[]> {
  const [[first = ''] = []] = said.values()
  const stored = conversations.find(messages => messages.some(({ text }) => text === first)) ?? []
  const texts = stored.map(({ text }) => text)
  for (const lines of said.values()) expect(texts.filter(text => lines.includes(text))).toEqual(lines)
  const spoken = stored.filter(({ author }) => author === 'visitor' || author === 'agent')
  expect(spoken).toHaveLength([...said.values()].flat().length)
  for (const tab of tabs) await tab.expectAll(texts)
  return stored
}
