import { act } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { acme } from '../testing/uiFixtures.ts'

describe('the greeting', () => {
  test('shows each line of a greeting, even equal ones', async () => {
    const { log } = await open(({ conversation }) => {
      conversation.botProfile.profile.value = { ...acme, greeting: 'Hello\n\nHello\nHow can I help?' }
    })
    const lines = [...log().querySelectorAll('[part=message]')].map(bubble => bubble.textContent)
    expect(lines).toEqual(['Hello', 'Hello', 'How can I help?'])
  })

  test.each([
    ['', ['Good to see you, Ada.']],
    ['How can we help?', ['Good to see you, Ada.', 'How can we help?']],
    ['Hello!\nHow can we help?', ['Good to see you, Ada.', 'How can we help?']],
    ['\nHello!\n\nHow can we help?\nAsk us.', ['Good to see you, Ada.', 'How can we help?', 'Ask us.']],
  ])('greets a contact once: %j', async (greeting, lines) => {
    const { log, conversation, session } = await open(({ conversation, session }) => {
      conversation.botProfile.profile.value = { ...acme, greeting }
      session.contact.value = { id: 'c1', name: 'Ada Lovelace' }
    })
    const shown = () => [...log().querySelectorAll('[part=message]')].map(each => each.textContent)
    expect(shown()).toEqual(lines)
    act(() => {
      session.contact.value = null
    })
    expect(shown()).toEqual(conversation.botProfile.profile.value?.greeting.split('\n').filter(Boolean))
  })

  test('marks the line that greets a contact with the language of the chat, not with the bot’s', async () => {
    const { log } = await open(({ conversation, session }) => {
      conversation.botProfile.profile.value = { ...acme, locale: 'de', greeting: 'Womit können wir helfen?' }
      session.contact.value = { id: 'c1', name: 'Ada Lovelace' }
    })
    const lines = [...log().querySelectorAll('.bubble')].map(bubble => [
      bubble.getAttribute('lang'),
      bubble.textContent,
    ])
    expect(lines).toEqual([
      ['en', 'Good to see you, Ada.'],
      ['de', 'Womit können wir helfen?'],
    ])
  })
})
