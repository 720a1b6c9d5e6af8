import { act } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { storedMessage } from '../testing/uiFixtures.ts'

describe('Header', () => {
  const nora = { sender: { name: 'Nora', avatar: 'https://shop.example/nora.png' } }

  test('shows the team member who spoke last, and the bot once it answers again', async () => {
    const { view, root, conversation } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [{ ...storedMessage(1, 'agent', 'Hi'), ...nora }]
    })
    const picture = () => root.querySelector('.header img')?.getAttribute('src')
    expect(view.getByRole('heading').textContent).toBe('Nora · Acme Outfitters')
    expect(picture()).toBe(nora.sender.avatar)
    const say = (...messages: ReturnType<typeof storedMessage>[]) =>
      act(() => {
        conversation.messageStore.messages.value = [...conversation.messageStore.messages.value, ...messages]
      })
    say(storedMessage(2, 'visitor', 'Thanks'))
    expect(view.getByRole('heading').textContent).toBe('Nora · Acme Outfitters')
    say(storedMessage(3, 'bot', 'Bye'))
    expect(view.getByRole('heading').textContent).toBe('Acme Outfitters')
    expect(picture()).not.toBe(nora.sender.avatar)
  })

  test('names nobody of the team until it is known whose conversation it is', async () => {
    const { view, signIn } = await open(({ conversation, signIn }) => {
      conversation.messageStore.messages.value = [{ ...storedMessage(1, 'agent', 'Hi'), ...nora }]
      signIn.isViewHidden.value = false
    })
    act(() => {
      signIn.isViewHidden.value = true
    })
    expect(view.getByRole('heading').textContent).toBe('Acme Outfitters')
  })
})
