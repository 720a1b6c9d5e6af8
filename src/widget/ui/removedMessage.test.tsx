import { act } from '@testing-library/preact'
import { expect, test } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { acme, storedMessage } from '../testing/uiFixtures.ts'

const removedAt = '2026-01-02T00:00:00.000Z'

test.each(['visitor', 'bot', 'agent', 'system'] as const)(
  'a line stands in the place of a removed message: %s',
  async author => {
    const { log, conversation } = await open(({ conversation }) => {
      conversation.botProfile.profile.value = { ...acme, locale: 'de' }
      conversation.messageStore.messages.value = [
        { ...storedMessage(1, author, '# hunter2'), format: 'markdown', quickReplies: ['hunter2'] },
      ]
    })
    expect(log().textContent).toContain('hunter2')
    await act(() => {
      conversation.messageStore.messages.value = [{ ...storedMessage(1, author, ''), removedAt }]
    })
    expect(log().textContent).not.toContain('hunter2')
    const place = [...log().querySelectorAll('[part=message]')].at(-1)
    expect(place?.textContent).toBe('This message was removed.')
    // The line is in the visitor's language, not in the bot's.
    if (author !== 'system') expect(place?.getAttribute('lang')).toBe('en')
  },
)
