import { act, fireEvent, waitFor } from '@testing-library/preact'
import { describe, expect, test, vi } from 'vitest'
import { textsIn } from '../i18n/locales.ts'
import { names, open, undos, viewport, write } from '../testing/testPanel.ts'
import { acme, pendingMessage, storedMessage } from '../testing/uiFixtures.ts'

describe('mountPanel', () => {
  test('shows a new visitor the greeting, line by line, and quick replies', async () => {
    const { view, log, calls } = await open()
    expect(view.getByRole('dialog', { name: 'Acme Outfitters' })).toBeTruthy()
    expect([...log().querySelectorAll('[part=message]')].map(each => each.textContent)).toEqual(
      acme.greeting.split('\n'),
    )
    fireEvent.click(view.getByRole('button', { name: 'Size guide' }))
    expect(calls).toContainEqual(['send', 'Size guide'])
  })

  test('greets a contact by first name and shows whose conversation it is', async () => {
    const { view, log } = await open(({ session }) => {
      session.status.value = 'identified'
      session.contact.value = { id: 'c1', name: 'Ada $& Lovelace' }
    })
    expect(view.getByText('Chatting as Ada $& Lovelace')).toBeTruthy()
    expect(log().querySelector('[part=message]')?.textContent).toBe('Good to see you, Ada.')
  })

  test('shows no greeting until the first message of the conversation is loaded', async () => {
    const { log, conversation } = await open(({ conversation }) => {
      conversation.messageStore.history.value = 'more'
      conversation.messageStore.messages.value = [storedMessage(31, 'bot', 'Hi')]
    })
    expect(log().textContent).not.toContain('What can I do for you?')
    conversation.messageStore.history.value = 'complete'
    await waitFor(() => expect(log().textContent).toContain('What can I do for you?'))
  })

  test('changes the language, and keeps focus, draft and scroll position', async () => {
    const { view, composer, log, models, draft } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'visitor', 'Hello'), storedMessage(2, 'bot', 'Hi')]
    })
    write(composer(), 'half a thou')
    const field = composer()
    field.focus()
    const arabic = await textsIn('ar')
    models.setTexts(arabic)
    const close = await view.findByRole('button', { name: arabic.close as string })
    expect(composer()).toBe(field)
    expect([field.value, field.placeholder, draft.text.value]).toEqual([
      'half a thou',
      arabic.writeMessage,
      'half a thou',
    ])
    expect((close.getRootNode() as ShadowRoot).activeElement).toBe(field)
    expect(log().textContent).toContain(arabic.sent)
    expect(log().textContent).not.toMatch(/Sent|You/)
    const speech = close.closest('[dir]')
    expect([speech?.getAttribute('dir'), speech?.getAttribute('lang')]).toEqual(['rtl', 'ar'])
    expect(view.getByRole('dialog').hasAttribute('dir')).toBe(false)
    expect(log().querySelectorAll('[part=message]:not([dir=auto])')).toHaveLength(0)
  })

  test('shows the draft of the model again after closing and opening', async () => {
    const { composer, panel, view } = await open()
    write(composer(), 'A half-written thought')
    panel.close()
    await waitFor(() => expect(view.queryByRole('dialog')).toBeNull())
    panel.isOpen.value = true
    await waitFor(() => expect(composer().value).toBe('A half-written thought'))
  })

  test('leaves nothing of the conversation in the page when it is closed', async () => {
    const { root, panel } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'bot', 'Dear Ada')]
    })
    expect(root.textContent).toContain('Dear Ada')
    await act(() => {
      panel.close()
    })
    expect(root.textContent).not.toContain('Dear Ada')
  })

  test('stays open when an IME handles Escape, also in Safari, where only the key code says so', async () => {
    const { composer, calls } = await open()
    fireEvent.keyDown(composer(), { key: 'Escape', isComposing: true })
    fireEvent.keyDown(composer(), { key: 'Escape', keyCode: 229 })
    expect(names(calls)).not.toContain('close')
  })

  test('closes with Escape and moves the focus back to the launcher', async () => {
    const { root, composer, launcher, calls } = await open()
    await waitFor(() => expect(root.activeElement).toBe(composer()))
    fireEvent.keyDown(composer(), { key: 'Escape' })
    expect(names(calls)).toContain('close')
    await waitFor(() => expect(root.activeElement).toBe(launcher))
  })

  test('takes the focus when it opens, unless the page or the visitor has moved it meanwhile', async () => {
    const [teaser, field] = [document.createElement('button'), document.createElement('input')]
    document.body.append(teaser, field)
    const { root, composer, panel } = await open()
    const reopen = async (whileFetching: () => void, whileRendering = () => {}) => {
      act(() => {
        panel.isOpen.value = false
      })
      teaser.focus()
      panel.opener.value = document.activeElement
      whileFetching()
      act(() => {
        panel.isOpen.value = true
      })
      whileRendering()
      await new Promise(resolve => requestAnimationFrame(resolve))
    }
    await reopen(() => {})
    expect(root.activeElement).toBe(composer())
    await reopen(
      () => {},
      () => field.focus(),
    )
    expect(document.activeElement).toBe(field)
    act(() => {
      panel.isOpen.value = false
    })
    expect(document.activeElement).toBe(field)
    // The visitor has moved the focus while the panel was loading.
    await reopen(() => field.focus())
    expect(document.activeElement).toBe(field)
    await reopen(() => teaser.remove())
    expect(root.activeElement).toBe(composer())
  })

  test('keeps the focus in the panel when the clicked element is removed', async () => {
    const { root, view, conversation, composer, log } = await open(({ conversation }) => {
      conversation.outbox.pending.value = [pendingMessage('a', 'Hi', 'failed')]
      conversation.outbox.remove = () => {
        conversation.outbox.pending.value = []
      }
    })
    await waitFor(() => expect(root.activeElement).toBe(composer()))
    const button = view.getByRole('button', { name: 'Delete' })
    button.focus()
    fireEvent.click(button)
    await waitFor(() => expect(root.activeElement).toBe(log()))
    expect(conversation.outbox.pending.value).toEqual([])
  })

  test('passes the focus on to the composer of the next session, also in a window that has lost it', async () => {
    const { root, session, composer } = await open()
    await waitFor(() => expect(root.activeElement).toBe(composer()))
    const former = composer()
    // As browsers do when another window gets the focus.
    fireEvent.focusOut(former)
    await Promise.resolve()
    await act(() => {
      session.scopeKey.value = 'next'
    })
    expect(composer()).not.toBe(former)
    expect(root.activeElement).toBe(composer())
  })

  test('leaves the focus where the page moves it in a click listener', async () => {
    const { view } = await open(({ conversation }) => {
      conversation.outbox.send = () => field.focus()
    })
    const field = document.body.appendChild(document.createElement('input'))
    fireEvent.click(view.getByRole('button', { name: 'Size guide' }))
    await new Promise(resolve => setTimeout(resolve))
    expect(document.activeElement).toBe(field)
  })

  test('shows the bot’s picture above its initial', async () => {
    const { root } = await open(({ conversation }) => {
      conversation.botProfile.profile.value = { ...acme, avatar: 'https://pictures.example/acme.png' }
    })
    expect(root.querySelector('.avatar')?.textContent).toBe('A')
    expect(root.querySelector('.avatar img')?.getAttribute('src')).toBe('https://pictures.example/acme.png')
  })

  test('says when it is offline', async () => {
    const { view } = await open(({ conversation }) => {
      conversation.connection.value = 'offline'
    })
    expect(view.getByText('You’re offline')).toBeTruthy()
    expect(view.getByText('We’ll send your messages when you’re back online.')).toBeTruthy()
  })

  test('shows no problem while the stream is blocked but polling works', async () => {
    const { root } = await open(({ conversation }) => {
      conversation.connection.value = 'withoutStream'
    })
    expect(root.querySelector('.status')?.textContent).toBe('')
  })

  test.each([
    ['restoring', 'Opening your conversation…'],
    ['identifying', 'Signing you in…'],
  ] as const)('says when it is %s, with nobody’s conversation on screen', async (status, line) => {
    const { view, log } = await open(({ session, conversation }) => {
      session.status.value = status
      conversation.messageStore.history.value = 'loading'
    })
    expect(view.getByText(line)).toBeTruthy()
    // The greeting is nobody's own.
    const greeting = `Acme Outfitters${acme.greeting.replace('\n', '')}`
    expect(log().textContent).toBe(status === 'identifying' ? greeting : '')
    expect(log().querySelectorAll('.placeholder')).toHaveLength(status === 'identifying' ? 0 : 1)
  })

  test.each([
    ['revoked', 'Your session has ended.'],
    ['expired', 'Your session has expired.'],
    ['contact_deleted', 'This conversation has been deleted.'],
  ] as const)('says why a session ended (%s) until that is dismissed', async (reason, text) => {
    const { view, calls } = await open(({ session }) => {
      session.endReason.value = reason
    })
    expect(view.getByText(text)).toBeTruthy()
    fireEvent.click(view.getByRole('button', { name: 'Dismiss' }))
    expect(names(calls)).toEqual(['dismissEnded'])
  })

  test('retries the history on a click', async () => {
    const { view, log, calls } = await open(({ conversation }) => {
      conversation.messageStore.history.value = 'failed'
    })
    expect(log().textContent).toContain('Couldn’t load earlier messages.')
    fireEvent.click(view.getByRole('button', { name: 'Retry' }))
    expect(names(calls)).toEqual(['loadOlder'])
  })

  test('retries the bot profile on a click', async () => {
    const { view, calls } = await open(({ conversation }) => {
      conversation.botProfile.profile.value = null
      conversation.botProfile.status.value = 'unavailable'
    })
    expect(view.getByText('Chat isn’t available right now.')).toBeTruthy()
    fireEvent.click(view.getByRole('button', { name: 'Retry' }))
    expect(names(calls)).toEqual(['retryBot'])
  })

  test('says that nothing is saved if storage is blocked', async () => {
    const { log } = await open(({ session }) => {
      session.isStorageBlocked.value = true
    })
    expect(log().textContent).toContain('This chat isn’t saved')
  })

  test('says nothing about blocked storage to a contact, whose conversation the platform keeps', async () => {
    const { log } = await open(({ session }) => {
      session.isStorageBlocked.value = true
      session.contact.value = { id: 'c1', name: 'Ada Lovelace' }
    })
    expect(log().textContent).not.toContain('This chat isn’t saved')
  })

  test('marks visible messages as read, and shows a divider before them', async () => {
    // happy-dom has no layout: everything is in view.
    class ObserverOfVisible {
      observe
      constructor(callback: (entries: object[]) => void) {
        this.observe = callback.bind(null, [{ isIntersecting: true }])
      }
      disconnect() {}
    }
    vi.stubGlobal('IntersectionObserver', ObserverOfVisible)
    const { view, calls } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'bot', 'Old'), storedMessage(2, 'bot', 'New')]
      conversation.readState.readSeq.value = 1
      conversation.readState.unread.value = 1
    })
    expect(view.getAllByText('New messages')).not.toHaveLength(0)
    await waitFor(() => expect(names(calls)).toContain('markRead'))
  })

  test('leaves no node, style sheet or listener behind', async () => {
    const listening: string[] = []
    for (const target of [viewport(), document]) {
      const { addEventListener, removeEventListener } = target
      const forget = (type: string) => listening.splice(listening.indexOf(type), 1)
      const add = vi
        .spyOn(target, 'addEventListener')
        .mockImplementation((...args: Parameters<EventTarget['addEventListener']>) => {
          const [type, , options] = args
          listening.push(type)
          if (typeof options === 'object') options.signal?.addEventListener('abort', () => forget(type))
          addEventListener.apply(target, args)
        })
      const remove = vi
        .spyOn(target, 'removeEventListener')
        .mockImplementation((...args: Parameters<EventTarget['removeEventListener']>) => {
          forget(args[0])
          removeEventListener.apply(target, args)
        })
      undos.push(() => [add, remove].map(spy => spy.mockRestore()))
    }
    const { root, undo } = await open()
    expect(listening.toSorted()).toEqual(['resize', 'scroll', 'visibilitychange', 'visibilitychange'])
    undo()
    expect(root.children).toHaveLength(1)
    expect(root.adoptedStyleSheets).toHaveLength(0)
    expect(listening).toEqual([])
  })

  test('covers a small screen as a modal dialog, with page and launcher inert until it closes', async () => {
    const media = vi
      .spyOn(window, 'matchMedia')
      .mockImplementation(
        query => Object.assign(new EventTarget(), { matches: query.includes('max-width:479px') }) as MediaQueryList,
      )
    undos.push(() => media.mockRestore())
    const page = document.body.appendChild(document.createElement('main'))
    const already = document.body.appendChild(document.createElement('aside'))
    already.inert = true
    const { root, view, launcher, panel } = await open()
    expect(view.getByRole('dialog').getAttribute('aria-modal')).toBe('true')
    expect([page.inert, launcher.inert, already.inert]).toEqual([true, true, true])
    // The panel is laid out above the phone's keyboard.
    const rules = root.adoptedStyleSheets.flatMap(sheet => [...sheet.cssRules].map(rule => rule.cssText))
    expect(rules.join()).toMatch(/--top: ?12px; ?--height: ?400px/)
    expect((root.host as HTMLElement).inert).toBeFalsy()
    // The page removes the chat and adds it again.
    root.host.remove()
    await waitFor(() => expect([page.inert, launcher.inert, already.inert]).toEqual([false, false, true]))
    document.body.append(root.host)
    await waitFor(() => expect([page.inert, launcher.inert, already.inert]).toEqual([true, true, true]))
    // Meanwhile the page has opened and closed its own dialog, which reset `inert`.
    page.inert = false
    panel.close()
    await waitFor(() => expect([page.inert, launcher.inert, already.inert]).toEqual([false, false, true]))
  })
})
