import type { PendingMessage } from '../conversation/conversation.ts'
import { storageKey } from '../identity/storedIdentity.ts'
import { settle } from './fakeClock.ts'
import { adaToken, createAcme, type Tab } from './fixtures.ts'

/** Opens `count` tabs in which Ada is logged in. All are visible unless `hidden` says otherwise. */
export async function tabsOfAda(count: number, hidden: (index: number) => boolean = () => false) {
  const acme = createAcme()
  const { browser } = acme
  const messages = acme.said(adaToken)
  const open = async (options = {}) => {
    const tab = browser.openTab(options)
    await browser.clock.advance(1000)
    return tab
  }
  const first = browser.openTab({ start: false, hidden: hidden(0) })
  await first.core.login(adaToken)
  await settle()
  const tabs = [first]
  while (tabs.length < count) tabs.push(await open({ hidden: hidden(tabs.length) }))
  /** The tabs that have a stream. */
  const streaming = () => tabs.filter(tab => conversationOf(tab).connection.value === 'live')
  return { ...acme, ...browser, messages, tabs: tabs as [Tab, Tab, Tab], open, streaming }
}

/** The text of the draft in localStorage. */
export const storedDraft = ({ local }: { local: Map<string, string> }): string =>
  JSON.parse(local.get(storageKey('bot', 'draft')) ?? '{"text":""}').text

export const conversationOf = ({ core }: Tab) => core.models.conversation
export const pendingOf = (tab: Tab) =>
  conversationOf(tab).outbox.pending.value.map(({ text, status }: PendingMessage) => [text, status])
