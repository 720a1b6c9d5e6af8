import { act } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../contract/index.ts'
import { open } from '../testing/testPanel.ts'
import { acme, storedMessage } from '../testing/uiFixtures.ts'

const from = (seq: number, name: string): Message => ({
  ...storedMessage(seq, 'agent', `${name} here`),
  sender: { name },
})
const event = (seq: number, name: string): Message => ({ ...storedMessage(seq, 'system', ''), event: name })

describe('lines about who answers', () => {
  const openWith = async (messages: Message[]) => {
    const { log, conversation, ...panel } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = messages
    })
    const lines = () => [...log().querySelectorAll('.rule')].map(({ textContent }) => textContent)
    return { ...panel, log, conversation, lines: () => lines().slice(1) }
  }

  test('name each agent when they begin to answer, and say when the assistant answers again', async () => {
    const { lines } = await openWith([
      ...[storedMessage(1, 'bot', 'Hi'), from(2, 'Nora'), from(3, 'Nora'), from(4, 'Omar')],
      ...[event(5, 'handed_back'), storedMessage(6, 'bot', 'Me again')],
    ])
    expect(lines()).toEqual(['Nora joined', 'Omar joined', 'You’re talking to the assistant again'])
  })

  test('follow the language of the widget', async () => {
    const { models, lines } = await openWith([storedMessage(1, 'bot', 'Hi'), from(2, 'Nora'), event(3, 'handed_back')])
    act(() => models.setTexts({ agentJoined: '{name} ist im Chat', handedBack: 'Wieder der Assistent' }))
    expect(lines()).toEqual(['Nora ist im Chat', 'Wieder der Assistent'])
  })

  test('are announced if they are new, and silent if they were there before', async () => {
    const { log, conversation } = await openWith([storedMessage(1, 'bot', 'Hi'), from(2, 'Nora')])
    const { messages } = conversation.messageStore
    act(() => {
      messages.value = [...messages.value, event(3, 'handover_requested'), from(4, 'Omar')]
    })
    const live = [...log().querySelectorAll('.rule')].map(line => [line.textContent, line.getAttribute('aria-live')])
    expect(live.slice(1)).toEqual([
      ['Nora joined', 'off'],
      ['We’ve let the team know. Someone will answer you here.', null],
      ['Omar joined', null],
    ])
  })

  test('whoever waits for a person while the team is away reads when it is back, below the last request', async () => {
    const { lines, conversation } = await openWith([
      ...[event(1, 'handover_requested'), storedMessage(2, 'bot', 'Hi'), event(3, 'handover_requested')],
      storedMessage(4, 'bot', 'I can help meanwhile'),
    ])
    const known = lines()
    act(() => {
      const [from, until] = [1, 2].map(hours => new Date(Date.now() + hours * 3_600_000).toISOString()) as [
        string,
        string,
      ]
      conversation.botProfile.profile.value = { ...acme, openings: [{ from, until }] }
    })
    expect(lines()).toEqual([...known, expect.stringMatching(/^Team back to(day|morrow) at /)])
    const { messages } = conversation.messageStore
    act(() => {
      messages.value = [...messages.value, event(5, 'handover_expired')]
    })
    expect(lines().filter(line => line?.startsWith('Team back'))).toEqual([])
  })

  test('an event that this version does not know shows nothing and breaks no group', async () => {
    const { log, lines } = await openWith([
      ...[storedMessage(1, 'bot', 'One', 0), event(2, 'parcel_scanned'), storedMessage(3, 'bot', 'Two', 0)],
    ])
    expect(lines()).toEqual([])
    expect(log().querySelectorAll('.row.first:has([id="message-m3"])')).toHaveLength(0)
    expect([...log().querySelectorAll('.bubble')].slice(-2).map(({ textContent }) => textContent)).toEqual([
      'One',
      'Two',
    ])
  })

  test('the header shows the bot again once an agent has handed back', async () => {
    const { root, conversation } = await openWith([storedMessage(1, 'bot', 'Hi'), from(2, 'Nora')])
    const header = () => root.querySelector('.header')?.textContent
    expect(header()).toContain('Nora')
    const { messages } = conversation.messageStore
    act(() => {
      messages.value = [...messages.value, event(3, 'handed_back')]
    })
    expect(header()).not.toContain('Nora')
  })
})
