import { act, fireEvent } from '@testing-library/preact'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, createAcme, shown } from '../testing/fixtures.ts'
import { names, open, undos } from '../testing/testPanel.ts'
import { storedMessage } from '../testing/uiFixtures.ts'
import { mountPanel } from './mountPanel.tsx'

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

/** A message that cannot be rendered because its date is invalid. */
const broken = storedMessage(2, 'bot', 'Hello', 2, { createdAt: 'never' })

describe('ErrorBoundary', () => {
  test('shows a message instead of what cannot be rendered, emits an error, and can retry', async () => {
    const { view, calls, conversation, root } = await open()
    const { messages } = conversation.messageStore
    act(() => {
      messages.value = [broken]
    })
    expect(view.getByRole('alert').textContent).toContain('Couldn’t show the chat.')
    expect(names(calls)).toEqual(['reportRenderError'])
    expect(root.querySelector('textarea')).toBeNull()
    fireEvent.click(view.getByRole('button', { name: 'Retry' }))
    expect(names(calls)).toEqual(['reportRenderError', 'reportRenderError'])
    act(() => {
      messages.value = [storedMessage(2, 'bot', 'Hello')]
    })
    fireEvent.click(view.getByRole('button', { name: 'Retry' }))
    expect(view.queryByText(/Couldn’t show the chat/)).toBeNull()
    expect(view.getByRole('log').textContent).toContain('Hello')
  })

  test('lets the visitor close the panel, and shows it again when it is opened', async () => {
    const { view, conversation, panel } = await open()
    act(() => {
      conversation.messageStore.messages.value = [broken]
    })
    fireEvent.click(view.getByRole('button', { name: 'Close chat' }))
    expect(view.queryByRole('dialog')).toBeNull()
    conversation.messageStore.messages.value = []
    act(() => {
      panel.isOpen.value = true
    })
    expect(view.getByRole('log')).toBeTruthy()
  })

  test('moves the focus from the panel to its retry button, and closes with Escape', async () => {
    const { view, conversation, composer, root } = await open()
    composer().focus()
    await act(() => {
      conversation.messageStore.messages.value = [broken]
    })
    const retry = view.getByRole('button', { name: 'Retry' })
    expect(root.activeElement).toBe(retry)
    fireEvent.keyDown(retry, { key: 'Escape' })
    expect(view.queryByRole('dialog')).toBeNull()
  })

  test('is a region in inline mode, like the panel', async () => {
    const { view, conversation } = await open(() => {}, true)
    act(() => {
      conversation.messageStore.messages.value = [broken]
    })
    expect(view.queryByRole('dialog')).toBeNull()
    const region = view.getByRole('region')
    expect(region.textContent).toContain('Couldn’t show the chat.')
    fireEvent.keyDown(region, { key: 'Escape' })
    expect(view.getByRole('region')).toBe(region)
  })

  test('affects neither sending nor the stream, and emits an error event', async () => {
    const { browser, platform } = createAcme()
    // An invalid string of the site.
    const tab = browser.openTab({ start: false, strings: { chattingAs: 5 as unknown as string } })
    const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' })
    root.appendChild(document.createElement('div')).className = 'layer'
    const { conversation } = tab.core.models
    undos.push(mountPanel(root, tab.core.models))
    tab.core.setOpen(true)
    await tab.core.login(adaToken)
    await settle()
    expect(root.textContent).toContain('Couldn’t show the chat.')
    expect(tab.events).toContainEqual(['error', { code: 'render_failed' }])
    conversation.outbox.send('Where is my order?')
    await settle()
    expect(conversation.outbox.pending.value).toEqual([])
    const messages = platform.sessions.get(adaToken)?.messages ?? []
    expect(messages.at(-1)?.text).toBe('Where is my order?')
    platform.say(messages, { text: 'On its way' })
    await settle()
    expect(shown(tab).at(-1)).toBe('On its way')
    expect(conversation.connection.value).toBe('live')
    tab.core.destroy()
  })
})
