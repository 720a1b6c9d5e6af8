import { act, cleanup, render, screen } from '@testing-library/preact'
import { afterEach, expect, it } from 'vitest'
import { createFixture } from '../testing/uiFixtures.ts'
import { Notices } from './Notices.tsx'
import { WidgetContext } from './WidgetContext.ts'

afterEach(cleanup)

function show(prepare: (models: ReturnType<typeof createFixture>) => void) {
  const models = createFixture()
  prepare(models)
  render(
    <WidgetContext.Provider value={models}>
      <Notices />
    </WidgetContext.Provider>,
  )
  return { ...models, text: () => screen.getByRole('status').textContent }
}

const ada = { id: 'c1', name: 'Ada Lovelace' }

it('tells screen readers that the visitor is signed out, until somebody signs in', () => {
  const { session, text } = show(({ session }) => {
    session.status.value = 'identified'
    session.contact.value = ada
  })
  expect(text()).toBe('Chatting as Ada Lovelace')
  act(() => {
    session.status.value = 'anonymous'
    session.contact.value = null
  })
  expect(text()).toBe('You’re signed out.')
  expect(screen.getByText('You’re signed out.').className).toBe('aloud')
  act(() => {
    session.status.value = 'identifying'
  })
  expect(text()).toBe('')
})

it('says nothing of a sign-out where a notice says why the session ended, nor when that is dismissed', () => {
  const { session, text } = show(({ session }) => {
    session.status.value = 'identified'
    session.contact.value = ada
  })
  act(() => {
    session.status.value = 'anonymous'
    session.contact.value = null
    session.endReason.value = 'revoked'
  })
  expect(text()).toBe('Your session has ended.')
  act(() => {
    session.endReason.value = null
  })
  expect(text()).toBe('')
})

it('says nothing of a sign-out at page load, nor of a contact whom the site has not confirmed', () => {
  const { session, signIn, text } = show(() => {})
  expect(text()).toBe('')
  act(() => {
    session.status.value = 'identified'
    signIn.isViewHidden.value = true
    session.contact.value = ada
  })
  act(() => {
    session.status.value = 'anonymous'
    session.contact.value = null
    signIn.isViewHidden.value = false
  })
  expect(text()).toBe('')
})
