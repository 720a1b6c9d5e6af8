import { batch } from '@preact/signals'
import { act, render, waitFor } from '@testing-library/preact'
import { afterEach, expect, test } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { createFixture, pendingMessage, storedMessage } from '../testing/uiFixtures.ts'
import { LazyPartsContext } from './LazyPartsContext.ts'
import { createLazyParts } from './lazyParts.ts'
import { MessageText } from './MessageRow.tsx'
import { WidgetContext } from './WidgetContext.ts'

// As in browsers, which happy-dom lacks.
Object.defineProperty(HTMLElement.prototype, 'translate', {
  set(value: boolean) {
    this.setAttribute('translate', value ? 'yes' : 'no')
  },
})

afterEach(() => {
  document.documentElement.className = ''
})

/** Does what a translator of pages does: it replaces each text node, here by its text in capitals. */
function translatePage(root: Node): void {
  document.documentElement.className = 'translated-ltr'
  for (const node of [...root.childNodes]) {
    if (node instanceof Text) {
      if (!node.data.trim()) continue
      const font = document.createElement('font')
      font.textContent = node.data.toUpperCase()
      node.replaceWith(font)
    } else if (!(node instanceof Element && node.matches('[translate=no], font, style'))) translatePage(node)
  }
}

test('on a translated page, a reply that streams in is shown as a whole, and translated when it is complete', async () => {
  const { log, conversation } = await open()
  const { reply, messageStore } = conversation
  for (const text of ['One', 'One two', 'One two three']) {
    act(() => {
      reply.streaming.value = { id: 'm1', text }
    })
    await waitFor(() => expect(log().querySelector('.streaming .bubble')?.textContent).toBe(text))
    translatePage(log())
  }
  const bubble = log().querySelector('.streaming .bubble')
  act(() =>
    batch(() => {
      messageStore.messages.value = [storedMessage(1, 'bot', 'One two three four')]
      reply.streaming.value = null
    }),
  )
  const complete = [...log().querySelectorAll('.bubble')].at(-1)
  expect(complete).not.toBe(bubble)
  expect(complete?.getAttribute('translate')).toBe('yes')
  expect(complete?.textContent).toBe('One two three four')
})

test('on a translated page, no text stays beside the one that replaces it', async () => {
  const { root, log, session, conversation } = await open(({ conversation, session }) => {
    conversation.outbox.pending.value = [pendingMessage('a', 'Hello')]
    session.status.value = 'identifying'
  })
  translatePage(root)
  const status = () => root.querySelector('.title [role=status]')?.textContent
  const meta = () => log().querySelector('.row.visitor .meta')?.textContent
  expect([status(), meta()]).toEqual(['SIGNING YOU IN…', 'SENDING'])
  act(() => {
    session.status.value = 'anonymous'
    conversation.outbox.pending.value = [pendingMessage('a', 'Hello', 'failed')]
  })
  expect([status(), meta()]).toEqual(['', 'Not sent.Retry·Delete'])
  translatePage(root)
  act(() => {
    conversation.connection.value = 'offline'
    conversation.outbox.pending.value = []
    conversation.messageStore.messages.value = [{ ...storedMessage(1, 'visitor', 'Hello'), id: 'a' }]
  })
  expect(status()).toBe('You’re offline')
  expect(meta()).toMatch(/^0?9:41.{0,3}Sent$/)
})

test('on a translated page, a text is not doubled when its links or its formatting come', async () => {
  const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' })
  const container = root.appendChild(document.createElement('div'))
  const models = createFixture()
  const lazyParts = createLazyParts(root, document.body.style, models, new AbortController().signal)
  const messages = [
    storedMessage(1, 'visitor', 'See https://a.example now'),
    storedMessage(2, 'bot', 'See **this**', 2, { format: 'markdown' }),
  ]
  const texts = messages.map(item => (
    <p key={item.id}>
      <MessageText item={item} />
    </p>
  ))
  render(
    <WidgetContext.Provider value={models}>
      <LazyPartsContext.Provider value={lazyParts}>{texts}</LazyPartsContext.Provider>
    </WidgetContext.Provider>,
    { container, baseElement: document.body },
  )
  translatePage(container)
  await waitFor(() => expect(container.querySelector('strong')).not.toBeNull())
  await waitFor(() => expect(container.querySelector('a')).not.toBeNull())
  expect([...container.children].map(text => text.textContent)).toEqual(['See https://a.example now', 'See this'])
})
