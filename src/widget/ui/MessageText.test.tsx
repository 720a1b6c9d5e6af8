import '../markdown/index.ts'
import { signal } from '@preact/signals'
import { cleanup, render, waitFor } from '@testing-library/preact'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { acme, createFixture, storedMessage } from '../testing/uiFixtures.ts'
import type { TranscriptItem } from './groupMessages.ts'
import { LazyPartsContext } from './LazyPartsContext.ts'
import { createLazyParts } from './lazyParts.ts'
import { MessageText } from './MessageRow.tsx'
import { WidgetContext } from './WidgetContext.ts'

// Loads the parser now. Otherwise the first test would time out on a busy machine.

afterEach(cleanup)

function setUp(...items: TranscriptItem[]) {
  const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' })
  const container = root.appendChild(document.createElement('div'))
  const models = createFixture()
  const lazyParts = createLazyParts(root, document.body.style, models, new AbortController().signal)
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
  test('renders Markdown of bots and agents once the renderer is loaded, and shows the visitor’s text verbatim', async () => {
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

  test('shows the source of a message whose Markdown cannot be rendered, next to others that can', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {})
    // Only code blocks read this property.
    vi.spyOn(navigator, 'clipboard', 'get').mockImplementation(() => {
      throw new Error('blocked')
    })
    const { lines, calls } = setUp(
      storedMessage(1, 'bot', '```\ncode\n```', 1, markdown),
      storedMessage(2, 'bot', '**Bold**', 2, markdown),
    )
    await waitFor(() => expect(lines()).toEqual(['```\ncode\n```', 'Bold']))
    expect(report).toHaveBeenCalledTimes(1)
    expect(calls.map(([name]) => name)).toContain('reportRenderError')
    vi.restoreAllMocks()
  })

  test.each([true, false])(
    'renders a reply of which a part could not be rendered once more text has come, or the reply is complete (more: %s)',
    async hasMore => {
      const error = vi.spyOn(console, 'error').mockImplementation(() => {})
      const clipboard = vi.spyOn(navigator, 'clipboard', 'get').mockImplementation(() => {
        throw new Error('blocked')
      })
      const text = signal('```\ncode\n```')
      const { container, lines, show } = setUp(reply(text))
      await waitFor(() => expect(error).toHaveBeenCalledTimes(1))
      text.value += '\n\nmore'
      await waitFor(() => expect(lines()).toEqual(['```\ncode\n```\n\nmore']))
      clipboard.mockRestore()
      if (hasMore) text.value += ' **text**'
      else show(reply(text.value))
      await waitFor(() => expect(container.querySelector('pre')?.textContent).toContain('code'))
      expect(error).toHaveBeenCalledTimes(1)
      vi.restoreAllMocks()
    },
  )

  test('renders a streamed reply in Markdown, with images if the bot allows them, and keeps its DOM nodes when it is stored', async () => {
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

  test('links URLs in plain text once the code for it is loaded', async () => {
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
