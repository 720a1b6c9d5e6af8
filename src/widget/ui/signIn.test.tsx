import { act, fireEvent } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { mount, names, open } from '../testing/testPanel.ts'
import { acme, storedMessage } from '../testing/uiFixtures.ts'

describe('the panel and who is signed in at the site', () => {
  test('shows a button to sign in instead of the composer if the bot is only for contacts', async () => {
    const { view, calls } = await open(({ signIn, conversation }) => {
      signIn.isRequired.value = true
      conversation.botProfile.profile.value = { ...acme, quickReplies: ['Where is my order?'] }
    })
    expect([view.queryByRole('textbox'), view.queryByText('Where is my order?')]).toEqual([null, null])
    fireEvent.click(view.getByRole('button', { name: 'Sign in to chat' }))
    expect(names(calls)).toEqual(['requestSignIn'])
  })

  test('shows nothing of a contact until the site has said who is signed in', async () => {
    const { view, root, signIn } = await open(({ session, conversation }) => {
      session.contact.value = { id: 'c1', name: 'Ada Lovelace' }
      conversation.messageStore.messages.value = [storedMessage(1, 'bot', 'Dear Ada')]
    })
    expect(root.textContent).toContain('Dear Ada')
    await act(() => {
      signIn.isViewHidden.value = true
    })
    expect(root.textContent).not.toContain('Ada')
    expect(view.getByText('Opening your conversation…')).toBeTruthy()
    expect((view.getByRole('textbox') as HTMLTextAreaElement).readOnly).toBe(true)
  })

  test('offers to ask again, and doesn’t say that it is busy, where the site’s answer can’t be used', () => {
    const { view, calls, root, composer } = mount(({ session, signIn }) => {
      session.contact.value = { id: 'c1', name: 'Ada Lovelace' }
      signIn.isViewHidden.value = true
      signIn.hasFailed.value = true
    })
    expect(view.getByRole('alert').textContent).toContain('Couldn’t show the chat.')
    expect(root.querySelector('.status')?.textContent).toBe('')
    expect(root.textContent).not.toContain('Ada')
    fireEvent.click(view.getByRole('button', { name: 'Retry' }))
    expect(names(calls)).toEqual(['retrySignIn'])
    expect(root.activeElement).toBe(composer())
  })

  test('shows a read-only field and nothing to send or ask for while nobody may write', async () => {
    const { view, calls, models, composer, draft } = await open(({ signIn, session, conversation }) => {
      signIn.canWrite.value = false
      session.status.value = 'identifying'
      conversation.botProfile.profile.value = { ...acme, quickReplies: ['Where is my order?'], handover: true }
    })
    expect([composer().readOnly, view.queryByText('Where is my order?')]).toEqual([true, null])
    expect(composer().placeholder).toBe('One moment…')
    draft.text.value = 'Hello'
    fireEvent.keyDown(composer(), { key: 'Enter' })
    expect([names(calls), draft.text.value]).toEqual([[], 'Hello'])
    await act(() => {
      models.signIn.canWrite.value = true
      models.session.status.value = 'anonymous'
    })
    expect([composer().readOnly, composer().placeholder]).toEqual([false, 'Write a message'])
    fireEvent.keyDown(composer(), { key: 'Enter' })
    expect(names(calls)).toEqual(['send'])
  })
})
