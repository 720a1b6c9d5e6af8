import type { Page } from '@playwright/test'
import type { Translation } from '../src/widget/i18n/en.ts'
import { type Chat, expect, type FakeSite } from './fakeSite.ts'

export interface ScenarioContext {
  page: Page
  fakeSite: FakeSite
  chat: Chat
  /** The widget's strings in the language of the page. */
  strings: Omit<Translation, 'chatUnread' | 'charactersLeft'>
  /** Called when a state is reached. The state stays until the returned promise settles. */
  onState(state: string): Promise<void>
}

/** Sends a message and waits until the event stream is open, so that a reply can arrive. */
export async function startConversation({ fakeSite, chat, strings }: Omit<ScenarioContext, 'onState'>): Promise<void> {
  await chat.send('Where is my order?')
  await expect(chat.panel).toContainText(strings.sent)
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
}

/** Clicks a button of the panel. */
export const clickButton = ({ chat }: ScenarioContext, name: string) =>
  chat.panel.getByRole('button', { name, exact: true }).click()
