import { afterEach, describe, expect, test, vi } from 'vitest'
import { setUpNotifications as setUp } from '../testing/notificationsFixture.ts'

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
    const { button, unread, showUnread, end } = setUp({ lang: 'fa' })
    unread.value = 12
    showUnread()
    expect([button.lastElementChild?.textContent, document.title]).toEqual(['۱۲', '(۱۲) Shop'])
    unread.value = 100
    expect(button.lastElementChild?.textContent).toBe('۹۹+')
    end()
  })

  test('plays one sound for several unread messages in the leading tab', () => {
    const { announceMessage, unread, play, passTime } = setUp()
    unread.value = 2
    announceMessage()
    announceMessage()
    passTime()
    expect(play).toHaveBeenCalledTimes(1)
  })

  test.each([
    ['another tab is the leader', { isLeader: false }, 1],
    ['the visitor looks at the panel', { isOpen: true }, 1],
    ['the message has been read elsewhere meanwhile', {}, 0],
  ])('plays nothing when %s', (_, options, count) => {
    const { announceMessage, unread, play, passTime } = setUp(options)
    unread.value = count
    announceMessage()
    passTime()
    expect(play).not.toHaveBeenCalled()
  })

  test('plays in a hidden tab though its panel is open', () => {
    vi.spyOn(Object.getPrototypeOf(document) as Document, 'hidden', 'get').mockReturnValue(true)
    const { announceMessage, unread, play, passTime } = setUp({ isOpen: true })
    unread.value = 1
    announceMessage()
    passTime()
    expect(play).toHaveBeenCalledTimes(1)
  })

  test('shows the number of unread messages in the title until it is stopped', () => {
    document.title = 'Shop'
    const { showUnread, announceMessage, unread, end, play, passTime } = setUp()
    unread.value = 2
    showUnread()
    announceMessage()
    expect(document.title).toBe('(2) Shop')
    end()
    passTime()
    showUnread()
    expect(document.title).toBe('Shop')
    expect(play).not.toHaveBeenCalled()
  })
})
