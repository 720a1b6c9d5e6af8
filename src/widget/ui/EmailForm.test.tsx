import { act, fireEvent, waitFor } from '@testing-library/preact'
import { expect, test } from 'vitest'
import { names, open } from '../testing/testPanel.ts'
import { acme, storedMessage } from '../testing/uiFixtures.ts'

const asked = storedMessage(2, 'system', '', 2, { event: 'handover_requested' })

/** The panel of a bot that takes addresses, whose visitor has asked for a person. */
const openWaiting = (messages = [storedMessage(1, 'visitor', 'Hi'), asked]) =>
  open(({ conversation }) => {
    conversation.botProfile.profile.value = { ...acme, email: true }
    conversation.messageStore.messages.value = messages
  })
const label = 'Where can we answer you?'

test('asks a waiting visitor for an address, says what is wrong with it, and what happens when it was left', async () => {
  const { view, root, calls, conversation } = await openWaiting()
  const field = (await view.findByLabelText(label)) as HTMLInputElement
  expect([field.type, field.autocomplete]).toEqual(['email', 'email'])
  const send = () => fireEvent.submit(field.form as HTMLFormElement)
  const description = root.getElementById(field.getAttribute('aria-describedby') ?? '')
  expect(description?.role).toBe('alert')
  fireEvent.input(field, { target: { value: 'ada' } })
  send()
  await waitFor(() => expect(description?.textContent).toBe('Please enter an email address.'))
  expect([field.getAttribute('aria-invalid'), root.activeElement]).toEqual(['true', field])
  expect(names(calls)).not.toContain('leaveEmail')
  // The platform knows more addresses that are none.
  conversation.leaveEmail = async () => 'invalid'
  fireEvent.input(field, { target: { value: 'ada@localhost' } })
  expect(description?.textContent).toBe('')
  send()
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'))
  conversation.leaveEmail = async () => 'failed'
  send()
  await waitFor(() => expect(description?.textContent).toBe('Not sent.'))
  conversation.leaveEmail = async () => 'left'
  fireEvent.input(field, { target: { value: 'ada@example.com' } })
  send()
  await view.findByText('We’ve sent a link to ada@example.com. Please confirm it.')
  expect(view.queryByLabelText(label)).toBeNull()
})

test('asks nobody who has left one, who is a contact or whom somebody answers, and leaves what is written', async () => {
  const { view, session, conversation } = await openWaiting()
  const { messages } = conversation.messageStore
  const isShown = () => view.queryByLabelText(label) !== null
  await view.findByLabelText(label)
  act(() => {
    conversation.hasEmail.value = true
  })
  expect(isShown()).toBe(false)
  act(() => {
    conversation.hasEmail.value = false
  })
  act(() => {
    session.authState.value = 'identified'
  })
  expect(isShown()).toBe(false)
  act(() => {
    session.authState.value = 'anonymous'
  })
  act(() => {
    messages.value = [...messages.value, storedMessage(3, 'agent', 'Nora here')]
  })
  expect(isShown()).toBe(false)
  const expired = storedMessage(4, 'system', '', 4, { event: 'handover_expired' })
  act(() => {
    messages.value = [...messages.value, expired, storedMessage(5, 'bot', 'Let me help')]
  })
  expect(isShown()).toBe(false)
  act(() => {
    messages.value = [...messages.value, expired]
  })
  fireEvent.input(view.getByLabelText(label), { target: { value: 'a' } })
  act(() => {
    messages.value = [...messages.value, storedMessage(5, 'agent', 'Back')]
  })
  expect(isShown()).toBe(true)
})

test('still asks a waiting visitor to whom the bot answers meanwhile', async () => {
  const { view } = await openWaiting([
    asked,
    storedMessage(3, 'visitor', 'Are you open?'),
    storedMessage(4, 'bot', 'Not now'),
  ])
  await view.findByLabelText(label)
})

test('is opened from the menu with the focus, also for another address, and not where no email is sent', async () => {
  const { view, root, conversation } = await openWaiting([storedMessage(1, 'visitor', 'Hi')])
  const choose = async () => {
    fireEvent.click(await view.findByRole('button', { name: 'More' }))
    fireEvent.click(await view.findByRole('menuitem', { name: 'Get answers by email' }))
    const field = (await view.findByLabelText(label)) as HTMLInputElement
    await waitFor(() => expect(root.activeElement).toBe(field))
    return field
  }
  const field = await choose()
  fireEvent.input(field, { target: { value: 'ada@example.com' } })
  fireEvent.submit(field.form as HTMLFormElement)
  await view.findByText(/We’ve sent a link/)
  await choose()
  conversation.botProfile.profile.value = acme
  fireEvent.click(await view.findByRole('button', { name: 'More' }))
  expect(view.queryByRole('menuitem', { name: 'Get answers by email' })).toBeNull()
})
