import { cleanup, fireEvent, render, screen } from '@testing-library/preact'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { AccountMenu } from './AccountMenu.tsx'
import { createAlertSettings } from './alerts/alertSettings.ts'
import { DeskContext } from './DeskContext.ts'
import type { Desk } from './desk.ts'
import { en } from './i18n/locales/en.ts'

afterEach(cleanup)

function setUp(isUnsaved: boolean) {
  const calls: string[] = []
  let release = () => {}
  const desk = {
    strings: en,
    alerts: { settings: createAlertSettings('nora') },
    current: { member: { name: 'Nora', email: 'nora@shop.example' }, organization: { name: 'Shop' } },
    session: { signOut: async () => void calls.push('sign out') },
    conversations: {
      async flush() {
        calls.push('keep')
        await new Promise<void>(resolve => {
          release = resolve
        })
        return isUnsaved
      },
    },
  } as unknown as Desk
  render(
    <DeskContext.Provider value={desk}>
      <AccountMenu />
    </DeskContext.Provider>,
  )
  fireEvent.click(screen.getByText('Sign out'))
  return { calls, release: () => release() }
}

describe('signing out', () => {
  test('waits until the drafts are kept', async () => {
    const { calls, release } = setUp(false)
    expect(calls).toEqual(['keep'])
    release()
    await vi.waitFor(() => expect(calls).toEqual(['keep', 'sign out']))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('asks once if something would be lost', async () => {
    const { calls, release } = setUp(true)
    release()
    const dialog = await screen.findByRole('dialog', { name: 'Sign out without sending?' })
    expect(calls).toEqual(['keep'])
    fireEvent.click(dialog.querySelector('.danger') as Element)
    await vi.waitFor(() => expect(calls).toEqual(['keep', 'sign out']))
  })
})
