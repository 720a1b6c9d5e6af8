import { act, waitFor } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { mount, open, undos, write } from '../testing/testPanel.ts'
import { storedMessage } from '../testing/uiFixtures.ts'

describe('the lazily loaded transcript', () => {
  test('takes text before the transcript is loaded, and keeps field and focus when it appears', async () => {
    const { root, view, composer, draft, log } = mount()
    const field = composer()
    expect(view.queryByRole('log')).toBeNull()
    field.focus()
    write(field, 'Where is')
    await waitFor(log)
    expect(composer()).toBe(field)
    expect(field.value).toBe('Where is')
    expect(draft.text.value).toBe('Where is')
    expect(root.activeElement).toBe(field)
  })

  test('shows nothing of a session that ends before the transcript is loaded', async () => {
    const { root, session, conversation, log } = mount(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'bot', 'Words of Ada')]
    })
    const seen: string[] = []
    const observer = new MutationObserver(() => seen.push(root.textContent ?? ''))
    observer.observe(root, { childList: true, subtree: true, characterData: true })
    undos.push(() => observer.disconnect())
    act(() => {
      session.scopeKey.value = 'of Grace'
      conversation.messageStore.messages.value = [storedMessage(1, 'bot', 'Words of Grace')]
    })
    await waitFor(log)
    await waitFor(() => expect(seen.at(-1)).toContain('Words of Grace'))
    expect(seen.join()).not.toContain('Words of Ada')
  })

  test('shows the transcript at once when the panel is opened again, and in the next session', async () => {
    const { log, session, panel } = await open()
    act(() => {
      panel.isOpen.value = false
    })
    act(() => {
      panel.isOpen.value = true
    })
    const first = log()
    act(() => {
      session.scopeKey.value = 'next'
    })
    expect(log()).not.toBe(first)
  })
})
