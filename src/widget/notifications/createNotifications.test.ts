import { afterEach, describe, expect, test, vi } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { answer, setUpNotifications as setUp } from '../testing/notificationsFixture.ts'

afterEach(() => vi.restoreAllMocks())

describe('createNotifications', () => {
  test('has screen readers announce what comes while the panel is closed', () => {
    const { layer, unread, isPanelOpen, passTime } = setUp()
    const announced = () => {
      passTime()
      return layer.querySelector('[role=status]')?.textContent
    }
    expect(announced()).toBe('')
    unread.value = 2
    expect(announced()).toBe('Chat, 2 unread')
    isPanelOpen.value = true
    expect(announced()).toBe('')
  })

  test('counts unread messages at the launcher while the panel is closed', () => {
    const { button, unread, isPanelOpen } = setUp()
    const badge = button.lastElementChild as HTMLElement
    expect(badge.hidden).toBe(true)
    unread.value = 2
    expect([badge.hidden, badge.textContent]).toEqual([false, '2'])
    unread.value = 120
    expect(badge.textContent).toBe('99+')
    isPanelOpen.value = true
    expect(badge.hidden).toBe(true)
  })

  test('writes numbers with the digits of the language', () => {
    document.title = 'Shop'
    const { button, unread, end } = setUp({ lang: 'fa' })
    unread.value = 12
    expect([button.lastElementChild?.textContent, document.title]).toEqual(['۱۲', '(۱۲) Shop'])
    unread.value = 100
    expect(button.lastElementChild?.textContent).toBe('۹۹+')
    end()
  })

  test('plays one sound for several unread messages', async () => {
    const { announceMessage, unread, messages, play, passTime } = setUp()
    messages.value = [answer(1, 'One'), answer(2, 'Two')]
    unread.value = 2
    announceMessage()
    announceMessage()
    passTime()
    await settle()
    expect(play).toHaveBeenCalledTimes(1)
  })

  test.each([
    ['another tab does', { isPlayedElsewhere: true }, 1],
    ['the visitor looks at the panel', { isOpen: true }, 1],
    ['the message has been read elsewhere meanwhile', {}, 0],
  ])('plays nothing when %s', async (_, options, count) => {
    const { announceMessage, unread, messages, play, passTime } = setUp(options)
    messages.value = [answer(1, 'One')]
    unread.value = count
    announceMessage()
    passTime()
    await settle()
    expect(play).not.toHaveBeenCalled()
  })

  test('plays in a hidden tab though its panel is open', async () => {
    const { announceMessage, unread, messages, play, passTime, setHidden } = setUp({ isOpen: true })
    setHidden(true)
    messages.value = [answer(1, 'One')]
    unread.value = 1
    announceMessage()
    passTime()
    await settle()
    expect(play).toHaveBeenCalledTimes(1)
  })

  test('shows the number of unread messages in the title until it is stopped', async () => {
    document.title = 'Shop'
    const { announceMessage, unread, messages, end, play, passTime } = setUp()
    messages.value = [answer(1, 'One'), answer(2, 'Two')]
    unread.value = 2
    announceMessage()
    expect(document.title).toBe('(2) Shop')
    end()
    passTime()
    unread.value = 3
    await settle()
    expect(document.title).toBe('Shop')
    expect(play).not.toHaveBeenCalled()
  })
})
