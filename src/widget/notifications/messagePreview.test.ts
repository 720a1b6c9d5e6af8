import { describe, expect, test, vi } from 'vitest'
import { answer, setUpNotifications as setUp } from '../testing/notificationsFixture.ts'
import { acme } from '../testing/uiFixtures.ts'

describe('the preview of a message', () => {
  const settled = () => new Promise(resolve => setTimeout(resolve))
  const textIn = (layer: HTMLElement) => {
    const card = layer.querySelector('.preview') as HTMLElement
    return card.hidden ? '' : card.textContent
  }

  test('shows the newest unread message, and has screen readers announce it', async () => {
    const { layer, messages, passTime } = setUp()
    messages.value = [
      answer(1, 'Hello'),
      { ...answer(2, 'It arrives on Tuesday.'), author: 'agent', sender: { name: 'Nora' } },
    ]
    await settled()
    passTime()
    expect(textIn(layer)).toBe('NNoraIt arrives on Tuesday.')
    const announced = [...layer.querySelectorAll('[role=status]')].map(status => status.textContent)
    expect(announced).toContain('Nora: It arrives on Tuesday.')
  })

  test('marks what the bot writes with its language', async () => {
    const { layer, messages, profile } = setUp()
    const languages = () =>
      ['.text', '.speech', '[role=status]:last-child'].map(name => layer.querySelector<HTMLElement>(name)?.lang)
    profile.value = { ...acme, locale: 'de' }
    messages.value = [answer(1, 'Hallo')]
    await settled()
    expect(languages()).toEqual(['de', 'en', 'de'])
    messages.value = [{ ...answer(2, 'Hi'), author: 'agent' }]
    await settled()
    expect(languages()).toEqual(['en', 'en', 'en'])
  })

  test.each<[string, (state: ReturnType<typeof setUp>) => void]>([
    ['has been read', ({ readSeq }) => (readSeq.value = 1)],
    ['was removed', ({ messages }) => (messages.value = [{ ...answer(1, ''), removedAt: '2026-03-14T11:00:00.000Z' }])],
    ['belongs to somebody who has logged out', ({ messages }) => (messages.value = [])],
    ['must not be shown until the site has answered', ({ isViewHidden }) => (isViewHidden.value = true)],
    ['is in the open chat', ({ isPanelOpen }) => (isPanelOpen.value = true)],
  ])('disappears at once when the message %s', async (_, change) => {
    const state = setUp()
    state.messages.value = [answer(1, 'Hello')]
    await settled()
    state.passTime()
    expect(textIn(state.layer)).toContain('Hello')
    expect(state.layer.lastElementChild?.textContent).toBe('Chat: Hello')
    change(state)
    expect(state.layer.querySelector('.preview')?.textContent).toBe('')
    expect(state.layer.textContent).not.toContain('Hello')
    state.passTime()
    expect(state.layer.textContent).not.toContain('Hello')
  })

  test('leaves nothing behind when the widget is destroyed', async () => {
    const { layer, messages, passTime, end } = setUp()
    messages.value = [answer(1, 'Hello')]
    await settled()
    passTime()
    end()
    expect(layer.querySelector('.preview')).toBe(null)
    expect(layer.textContent).not.toContain('Hello')
  })

  test('is not filled again when the session ends before it', async () => {
    const { layer, messages, isViewHidden, passTime, end } = setUp({
      onEnd: state => (state.isViewHidden.value = false),
    })
    messages.value = [answer(1, 'Hello')]
    await settled()
    passTime()
    isViewHidden.value = true
    const [card, status] = [layer.querySelector('.preview'), layer.lastElementChild]
    end()
    passTime()
    expect([card?.textContent, status?.textContent]).toEqual(['', ''])
  })

  test('comes when the page is shown again, and never twice', async () => {
    const { layer, messages, setHidden, isPanelOpen } = setUp()
    setHidden(true)
    messages.value = [answer(1, 'Hello')]
    await settled()
    expect(textIn(layer)).toBe('')
    setHidden(false)
    await settled()
    expect(textIn(layer)).toContain('Hello')
    isPanelOpen.value = true
    isPanelOpen.value = false
    await settled()
    expect(textIn(layer)).toBe('')
  })

  test('is not shown if another tab has shown it', async () => {
    const { layer, messages, claimed } = setUp()
    claimed.add('answer-1')
    messages.value = [answer(1, 'Hello')]
    await settled()
    expect(textIn(layer)).toBe('')
  })

  test('opens the chat, or is dismissed, and gives the focus to the launcher', async () => {
    const { root, layer, button, messages } = setUp()
    const opened = vi.fn()
    document.body.append(root.host)
    button.onclick = opened
    for (const [seq, name] of [
      [1, '.dismiss'],
      [2, '.message'],
    ] as const) {
      messages.value = [answer(seq, 'Hello')]
      await settled()
      const control = layer.querySelector<HTMLElement>(name)
      control?.focus()
      control?.click()
      expect([textIn(layer), opened.mock.calls.length]).toEqual(['', seq - 1])
      expect(root.activeElement).toBe(button)
    }
  })

  test('does not exist if the site has turned it off', async () => {
    const { layer, messages } = setUp({ preview: 'false' })
    messages.value = [answer(1, 'Hello')]
    await settled()
    expect(layer.querySelector('.preview')).toBe(null)
  })
})
