import { afterEach, expect, test, vi } from 'vitest'
import type { Message } from '../../contract/index.ts'
import { createFixture, storedMessage } from '../testing/uiFixtures.ts'
import { saveConversation } from './saveConversation.ts'

afterEach(() => vi.restoreAllMocks())

/** The files that were saved. */
function recordFiles(): Blob[] {
  const files: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation(file => `blob:${files.push(file as Blob)}`)
  return files
}

const file = { id: 'f', type: 'text/plain', size: 8, name: 'order.txt' } as const

test('writes names, times, files and sources, and what is known of events and removed messages', async () => {
  const files = recordFiles()
  const models = createFixture()
  models.session.contact.value = { id: 'c1', name: 'Ada Lovelace' }
  models.conversation.messageStore.messages.value = [
    storedMessage(1, 'visitor', 'Hi', 1, { attachments: [file] }),
    storedMessage(2, 'bot', 'See **here**', 2, {
      sources: [{ title: 'Returns', url: 'https://acme.example/returns' }],
    }),
    storedMessage(3, 'system', '', 3, { event: 'handover_requested' }),
    storedMessage(4, 'system', '', 4, { event: 'of_a_later_version' }),
    storedMessage(5, 'agent', 'Nora here', 5, { sender: { name: 'Nora' } }),
    storedMessage(6, 'agent', '', 6, { removedAt: '2026-03-14T10:00:00.000Z' }),
  ]
  expect(await saveConversation(models)).toBe(true)
  const at = (minute: number) => `March 14, 2026 at 9:${minute} AM`
  // Versions of ICU have other spaces before AM.
  expect((await files[0]?.text())?.replace(/\s(?=AM)/g, ' ')).toBe(
    `Acme Outfitters

${at(41)} · Ada Lovelace
Hi
[order.txt]

${at(42)} · Acme Outfitters
See **here**
Returns: https://acme.example/returns

${at(43)}
We’ve let the team know. Someone will answer you here.

${at(45)} · Nora
Nora here

${at(46)} · Team member
This message was removed.
`,
  )
})

test('loads older messages first, and saves nothing without them or for somebody else', async () => {
  const files = recordFiles()
  const models = createFixture()
  const { messageStore } = models.conversation
  const { messages, history } = messageStore
  const pages: (readonly Message[] | 'failed' | 'another session')[] = []
  messageStore.loadOlder = async () => {
    const page = pages.shift()
    if (page === 'failed') history.value = page
    else if (page === 'another session') models.session.scopeKey.value = '2'
    else if (page) messages.value = [...page, ...messages.value]
    if (messages.value[0]?.seq === 1) history.value = 'complete'
  }
  messages.value = [storedMessage(3, 'visitor', 'Three')]
  history.value = 'more'
  pages.push('failed')
  expect(await saveConversation(models)).toBe(false)
  history.value = 'more'
  pages.push('another session')
  expect(await saveConversation(models)).toBe(false)
  expect(files).toEqual([])
  pages.push([storedMessage(2, 'bot', 'Two')], [storedMessage(1, 'visitor', 'One')])
  history.value = 'loading'
  const saved = saveConversation(models)
  history.value = 'more'
  expect(await saved).toBe(true)
  expect((await files[0]?.text())?.match(/^(One|Two|Three)$/gm)).toEqual(['One', 'Two', 'Three'])
})
