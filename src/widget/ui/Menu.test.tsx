import { fireEvent, waitFor, within } from '@testing-library/preact'
import { describe, expect, test, vi } from 'vitest'
import { names, open } from '../testing/testPanel.ts'
import { acme, storedMessage } from '../testing/uiFixtures.ts'

describe('Menu', () => {
  test('ends the chat from the menu, and closes with Escape without closing the panel', async () => {
    const { view, calls } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'visitor', 'Hi')]
    })
    fireEvent.click(await view.findByLabelText('More'))
    fireEvent.keyDown(await view.findByText('End chat'), { key: 'Escape' })
    await waitFor(() => expect(view.queryByText('End chat')).toBeNull())
    expect(names(calls)).not.toContain('close')
    fireEvent.click(view.getByLabelText('More'))
    fireEvent.click(await view.findByText('End chat'))
    expect(names(calls)).not.toContain('logout')
    const question = within(await view.findByRole('alertdialog', { name: /End this chat/ }))
    fireEvent.click(question.getByText('End chat'))
    expect(names(calls)).toContain('logout')
  })

  test('does not end the chat on a double click, and offers it only if there is a chat', async () => {
    const { root, view, calls, conversation } = await open()
    const more = await view.findByRole('button', { name: 'More' })
    fireEvent.click(more)
    expect(view.queryByRole('menuitem', { name: 'End chat' })).toBeNull()
    conversation.messageStore.messages.value = [storedMessage(1, 'visitor', 'Hi')]
    fireEvent.click(await view.findByRole('menuitem', { name: 'End chat' }))
    const [first] = within(await view.findByRole('alertdialog')).getAllByRole('button')
    expect(root.activeElement).toBe(first)
    fireEvent.click(first as HTMLElement)
    expect(view.queryByRole('alertdialog')).toBeNull()
    expect(root.activeElement).toBe(more)
    expect(names(calls)).not.toContain('logout')
  })

  test('does not offer a contact to end the chat, because the site would stay signed in', async () => {
    const { view, session } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'visitor', 'Hi')]
    })
    fireEvent.click(await view.findByRole('button', { name: 'More' }))
    await view.findByRole('menuitem', { name: 'End chat' })
    for (const state of ['identifying', 'identified'] as const) {
      session.authState.value = state
      await waitFor(() => expect(view.queryByRole('menuitem', { name: 'End chat' })).toBeNull())
      session.authState.value = 'anonymous'
      await view.findByRole('menuitem', { name: 'End chat' })
    }
  })

  test('offers to end an anonymous chat that cannot be restored now, because the browser may be shared', async () => {
    const { view } = await open(({ session }) => {
      session.status.value = 'restoring'
    })
    fireEvent.click(await view.findByRole('button', { name: 'More' }))
    await view.findByRole('menuitem', { name: 'End chat' })
  })

  test('says that older messages cannot be loaded, instead of saving a part, and tries again', async () => {
    const { view, calls, conversation } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(9, 'visitor', 'Hi')]
      conversation.messageStore.history.value = 'failed'
    })
    fireEvent.click(await view.findByRole('button', { name: 'More' }))
    fireEvent.click(await view.findByRole('menuitem', { name: 'Save conversation' }))
    const retry = await view.findByRole('menuitem', { name: 'Couldn’t load earlier messages. Retry' })
    vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
    conversation.messageStore.history.value = 'complete'
    fireEvent.click(retry)
    await waitFor(() => expect(view.queryByRole('menu')).toBeNull())
    expect(names(calls)).toEqual(['loadOlder'])
  })

  test('shows contacts their data where the bot lets them, and hides it while it is unknown who they are', async () => {
    const data = { name: 'Ada', email: 'ada@acme.example', phone: '', messages: 1234, attachments: 2 }
    const sent: string[] = []
    const { root, view, conversation, session, signIn } = await open(({ conversation, session }) => {
      session.contact.value = { id: 'c1', name: 'Ada' }
      conversation.send = async ({ method, path, body, read }) => {
        sent.push(`${method} ${path}`)
        const answer = { data: { ...data, createdAt: '2026-01-02T12:00:00.000Z' }, ...(body?.() as object) }
        const attempt = { abortSignal: new AbortController().signal, keepAlive() {}, resetTries() {} }
        return (await read(new Response(JSON.stringify(answer)), attempt))?.data
      }
    })
    const more = await view.findByRole('button', { name: 'More' })
    fireEvent.click(more)
    expect(view.queryByRole('menuitem', { name: 'Your data' })).toBeNull()
    conversation.botProfile.profile.value = { ...acme, eraseByVisitor: true }
    fireEvent.click(await view.findByRole('menuitem', { name: 'Your data' }))
    const dialog = within(await view.findByRole('alertdialog', { name: 'Your data' }))
    const erase = await dialog.findByRole('button', { name: 'Erase everything' })
    expect(view.getByRole('alertdialog').textContent).toContain(
      'Adaada@acme.exampleMessages1,234Files2SinceJanuary 2, 2026',
    )
    signIn.isViewHidden.value = true
    await waitFor(() => expect(dialog.queryByText('ada@acme.example')).toBeNull())
    signIn.isViewHidden.value = false
    fireEvent.click(await dialog.findByRole('button', { name: 'Erase everything' }), { detail: 1 })
    const question = within(await view.findByRole('alertdialog', { name: 'Erase your data and this conversation?' }))
    expect(root.activeElement).toBe(question.getByRole('button', { name: 'Cancel' }))
    fireEvent.click(question.getByRole('button', { name: 'Erase everything' }), { detail: 2 })
    expect(sent).toEqual(['POST /contact/retrieve'])
    fireEvent.click(question.getByRole('button', { name: 'Erase everything' }), { detail: 1 })
    await waitFor(() => expect(view.queryByRole('alertdialog')).toBeNull())
    expect(sent.slice(1)).toEqual(['DELETE /contact', 'DELETE /contact'])
    expect(erase.isConnected).toBe(false)
    session.contact.value = null
    fireEvent.click(more)
    expect(view.queryByRole('menuitem', { name: 'Your data' })).toBeNull()
  })

  test('supports the keys of a menu, and turns the sound on and off', async () => {
    const { root, view, models } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'visitor', 'Hi')]
    })
    const more = await view.findByRole('button', { name: 'More' })
    fireEvent.click(more)
    const sound = await view.findByRole('menuitemcheckbox', { name: 'Sound for new messages', checked: false })
    const save = view.getByRole('menuitem', { name: 'Save conversation' })
    const end = view.getByRole('menuitem', { name: 'End chat' })
    expect(root.activeElement).toBe(sound)
    for (const [key, item] of [
      ['ArrowDown', save],
      ['ArrowDown', end],
      ['ArrowDown', sound],
      ['ArrowUp', end],
      ['Home', sound],
      ['End', end],
    ] as const) {
      fireEvent.keyDown(root.activeElement as Element, { key })
      expect(root.activeElement).toBe(item)
    }
    fireEvent.click(sound)
    expect(root.activeElement).toBe(more)
    expect(models.sound.isOn.value).toBe(true)
    fireEvent.click(more)
    expect(await view.findByRole('menuitemcheckbox', { checked: true })).toBeTruthy()
  })

  test('closes at a second click on its button in Safari, which takes the focus away from what it does not focus', async () => {
    const { root, view } = await open()
    const clickAsInSafari = (button: HTMLElement) => {
      fireEvent.pointerDown(button)
      const isFocusMoved = fireEvent.mouseDown(button)
      if (isFocusMoved) (root.activeElement as HTMLElement | null)?.blur()
      fireEvent.pointerUp(button)
      fireEvent.mouseUp(button)
      fireEvent.click(button)
    }
    const more = await view.findByRole('button', { name: 'More', expanded: false })
    clickAsInSafari(more)
    await view.findByRole('menu', { name: 'More' })
    expect(more.getAttribute('aria-expanded')).toBe('true')
    clickAsInSafari(more)
    await waitFor(() => expect(view.queryByRole('menu')).toBeNull())
    expect(root.activeElement).toBe(more)
    clickAsInSafari(more)
    clickAsInSafari(await view.findByRole('menuitemcheckbox', { checked: false }))
    await waitFor(() => expect(view.queryByRole('menu')).toBeNull())
    clickAsInSafari(more)
    await view.findByRole('menuitemcheckbox', { checked: true })
  })

  test.each([
    [3600, false],
    [600, true],
    [0, true],
  ])(
    'offers a person half an hour after an agent if the bot answers again after %d s: %s',
    async (seconds, expected) => {
      const createdAt = new Date(Date.now() - 30 * 60_000).toISOString()
      const { view } = await open(({ conversation }) => {
        conversation.botProfile.profile.value = { ...acme, handover: true, agentPauseSeconds: seconds }
        conversation.messageStore.messages.value = [{ ...storedMessage(2, 'agent', 'Nora here'), createdAt }]
      })
      fireEvent.click(await view.findByRole('button', { name: 'More' }))
      expect(view.queryByRole('menuitem', { name: 'Talk to a person' }) !== null).toBe(expected)
    },
  )

  test('offers a person where the bot has people, and nobody answers or is on the way', async () => {
    const { view, calls, conversation } = await open(({ conversation }) => {
      conversation.botProfile.profile.value = { ...acme, handover: true }
    })
    const more = await view.findByRole('button', { name: 'More' })
    const isOffered = () => {
      fireEvent.click(more)
      const item = view.queryByRole('menuitem', { name: 'Talk to a person' })
      fireEvent.click(more)
      return item !== null
    }
    const event = (name: string) => ({ ...storedMessage(2, 'system', ''), event: name })
    const visitor = storedMessage(3, 'visitor', 'Hello?')
    for (const [last, expected] of [
      [storedMessage(2, 'bot', 'Hi'), true],
      [{ ...storedMessage(2, 'agent', 'Nora here'), createdAt: new Date().toISOString() }, false],
      [{ ...storedMessage(2, 'agent', 'Nora of yesterday'), createdAt: '2026-01-01T00:00:00.000Z' }, true],
      [event('handover_requested'), false],
      [event('handover_expired'), true],
      [event('handed_back'), true],
    ] as const) {
      conversation.messageStore.messages.value = [last, visitor]
      expect(isOffered(), last.event ?? last.text).toBe(expected)
    }
    const { status } = conversation.handoverRequest
    for (const [value, expected] of [
      ['sending', false],
      ['failed', true],
    ] as const) {
      status.value = value
      expect(isOffered(), value).toBe(expected)
    }
    fireEvent.click(more)
    fireEvent.click(await view.findByRole('menuitem', { name: 'Talk to a person' }))
    expect(names(calls)).toContain('requestHandover')
    expect(view.queryByRole('menu')).toBeNull()
    conversation.botProfile.profile.value = acme
    expect(isOffered()).toBe(false)
  })

  test('opens at its first item with the arrow down, at its last with the arrow up', async () => {
    const { root, view } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'visitor', 'Hi')]
    })
    const more = await view.findByRole('button', { name: 'More' })
    for (const [key, name] of [
      ['ArrowDown', 'Sound for new messages'],
      ['ArrowUp', 'End chat'],
    ] as const) {
      expect(fireEvent.keyDown(more, { key })).toBe(false)
      expect((root.activeElement as HTMLElement).textContent).toBe(name)
      fireEvent.keyDown(root.activeElement as HTMLElement, { key: 'Escape' })
      expect(root.activeElement).toBe(more)
    }
  })
})
