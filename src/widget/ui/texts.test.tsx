import { signal } from '@preact/signals-core'
import { waitFor } from '@testing-library/preact'
import { afterEach, describe, expect, test } from 'vitest'
import { acme, createFixture, storedMessage } from '../testing/uiFixtures.ts'
import { groupMessages, type TranscriptItem } from './groupMessages.ts'
import { keepDrawn } from './keepDrawn.ts'
import { createTexts } from './texts.ts'
// Else the first test would wait for the parser itself, on a busy machine for long.
import '../markdown/index.ts'

let undo: () => void
afterEach(() => undo())

function draw(...messages: TranscriptItem[]) {
  const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' })
  const box = root.appendChild(document.createElement('div'))
  const models = createFixture()
  const shown = signal(messages)
  const texts = createTexts(root, models)
  const tree = () => groupMessages(shown.value).map(row => <p key={row.id}>{texts.value(row)}</p>)
  undo = keepDrawn(tree, box)
  const lines = () => [...box.children].map(each => each.textContent)
  return { ...models, shown, box, lines }
}

describe('createTexts', () => {
  test('draws the Markdown of others once it can, and always as it is written what the visitor writes', async () => {
    const text = '**Bold** and https://a.example'
    const markdown = { format: 'markdown' } as const
    const { lines, box } = draw(
      storedMessage(1, 'visitor', text, 1, markdown),
      storedMessage(2, 'bot', text, 2, markdown),
      storedMessage(3, 'agent', text),
    )
    expect(lines()).toEqual([text, text, text])
    await waitFor(() => expect(lines()).toEqual([text, 'Bold and https://a.example', text]))
    expect(box.querySelectorAll('strong')).toHaveLength(1)
  })

  test('draws a reply in Markdown while it comes, its pictures as the bot allows', async () => {
    const reply = (text: string): TranscriptItem => ({
      id: 'm1',
      author: 'bot',
      text,
      format: 'markdown',
      createdAt: '',
    })
    const { conversation, shown, box } = draw(reply('**Bo'))
    await waitFor(() => expect(box.querySelector('strong')?.textContent).toBe('Bo'))
    const strong = box.querySelector('strong')
    shown.value = [reply('**Bold** ![boot](https://a.example/b.png)')]
    expect(box.querySelector('a')?.textContent).toBe('boot')
    expect(box.querySelector('strong')).toBe(strong)
    conversation.botProfile.profile.value = { ...acme, images: true }
    expect(box.querySelector('img')?.alt).toBe('boot')
  })
})
