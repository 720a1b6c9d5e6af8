import { signal } from '@preact/signals'
import { cleanup, render, waitFor } from '@testing-library/preact'
import { afterEach, describe, expect, test } from 'vitest'
import { acme, createFixture, storedMessage } from '../testing/uiFixtures.ts'
import type { TranscriptItem } from './groupMessages.ts'
import { LazyPartsContext } from './LazyPartsContext.ts'
import { createLazyParts } from './lazyParts.ts'
import { MessageText } from './MessageText.tsx'
import { WidgetContext } from './WidgetContext.ts'
// Else the first test would wait for the parser itself, on a busy machine for long.
import '../markdown/index.ts'

afterEach(cleanup)

function setUp(...items: TranscriptItem[]) {
  const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' })
  const container = root.appendChild(document.createElement('div'))
  const models = createFixture()
  const lazyParts = createLazyParts(root, models.strings, new AbortController().signal)
  const element = (shown: TranscriptItem[]) => (
    <WidgetContext.Provider value={models}>
      <LazyPartsContext.Provider value={lazyParts}>
        {shown.map(item => (
          <p key={item.id}>
            <MessageText item={item} />
          </p>
        ))}
      </LazyPartsContext.Provider>
    </WidgetContext.Provider>
  )
  const view = render(element(items), { container, baseElement: document.body })
  const show = (...shown: TranscriptItem[]) => render(element(shown), { container, baseElement: document.body })
  const lines = () => [...container.children].map(line => line.textContent)
  return { ...models, ...view, container, show, lines }
}

const markdown = { format: 'markdown' } as const
const reply = (text: TranscriptItem['text']): TranscriptItem => ({
  id: 'm1',
  author: 'bot',
  text,
  createdAt: '',
  ...markdown,
})

describe('MessageText', () => {
  test('renders the Markdown of others once it can, and always as it is written what the visitor writes', async () => {
    const text = '**Bold** and https://a.example'
    const { lines, container } = setUp(
      storedMessage(1, 'visitor', text, 1, markdown),
      storedMessage(2, 'bot', text, 2, markdown),
      storedMessage(3, 'agent', text),
    )
    expect(lines()).toEqual([text, text, text])
    await waitFor(() => expect(lines()).toEqual([text, 'Bold and https://a.example', text]))
    expect(container.querySelectorAll('strong')).toHaveLength(1)
  })

  test('renders a reply in Markdown while it comes, its pictures as the bot allows, and keeps its nodes when it is stored', async () => {
    const text = signal('**Bo')
    const { conversation, container, show } = setUp(reply(text))
    await waitFor(() => expect(container.querySelector('strong')?.textContent).toBe('Bo'))
    const strong = container.querySelector('strong')
    text.value = '**Bold** ![boot](https://a.example/b.png)'
    await waitFor(() => expect(container.querySelector('a')?.textContent).toBe('boot'))
    expect(container.querySelector('strong')).toBe(strong)
    conversation.botProfile.profile.value = { ...acme, images: true }
    await waitFor(() => expect(container.querySelector('img')?.alt).toBe('boot'))
    const element = container.querySelector('.markdown')
    show(reply(text.value))
    expect(container.querySelector('.markdown')).toBe(element)
  })

  test('makes addresses in plain text links once that has been fetched', async () => {
    const { container, lines } = setUp(storedMessage(1, 'visitor', 'See https://a.example/b.'))
    expect(lines()).toEqual(['See https://a.example/b.'])
    await waitFor(() => expect(container.querySelector('a')?.href).toBe('https://a.example/b'))
    expect(lines()).toEqual(['See https://a.example/b.'])
  })

  test('shows nothing for a stored message without text', () => {
    const { lines } = setUp(storedMessage(1, 'bot', ''))
    expect(lines()).toEqual([''])
  })
})
