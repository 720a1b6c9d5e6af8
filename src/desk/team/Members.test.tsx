import { cleanup, fireEvent, render, screen, within } from '@testing-library/preact'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { TeamMember } from '../../contract/desk.ts'
import { ApiError } from '../ApiError.ts'
import { DeskAppContext, DeskContext } from '../DeskContext.ts'
import type { Desk } from '../desk.ts'
import { createFormat } from '../i18n/format.ts'
import { en } from '../i18n/locales/en.ts'
import { Members } from './Members.tsx'

afterEach(cleanup)

const member = (name: string, more: Partial<TeamMember> = {}): TeamMember => ({
  ...{ id: name, name, email: `${name}@shop.example`, role: 'agent', botIds: null },
  ...{ isOnline: false, isAway: false, activeAt: null, ...more },
})
const bots = [
  { id: 'b1', name: 'Shop' },
  { id: 'b2', name: 'Blog' },
]

/** Shows the team. `failure`: the code with which whatever changes something fails. */
async function setUp({ failure, passwords = true }: { failure?: 'last_admin'; passwords?: boolean } = {}) {
  const calls: unknown[] = []
  const call =
    (method: string) =>
    async (path: string, body?: unknown): Promise<unknown> => {
      if (method === 'GET') {
        const invitations = [
          { id: 'i', email: 'omar@shop.example', role: 'agent', botIds: ['b2'], expiresAt: '2030-01-01' },
          { id: 'p', email: 'Nora@shop.example', role: 'agent', botIds: ['b1'], expiresAt: '2030-01-01' },
        ]
        const members = [member('Ada', { role: 'admin', isOnline: true }), member('Nora', { botIds: ['b1'] })]
        if (path === '/session/methods') return { data: { passwords, provider: null } }
        return { data: path === '/team' ? { members, invitations } : [] }
      }
      calls.push([method, path, ...(body ? [body] : [])])
      if (failure) throw new ApiError(409, failure, '')
      return { data: { token: 'secret' } }
    }
  const desk = {
    api: { get: call('GET'), post: call('POST'), put: call('PUT'), delete: call('DELETE') },
    current: { bots },
    format: createFormat('en', en),
    now: { value: 0 },
    strings: en,
  } as unknown as Desk
  render(
    <DeskAppContext.Provider value={desk}>
      <DeskContext.Provider value={desk}>
        <Members />
      </DeskContext.Provider>
    </DeskAppContext.Provider>,
  )
  const rows = await screen.findAllByRole('listitem')
  return { calls, rows: rows.map(row => row.textContent) }
}
const click = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

describe('the team', () => {
  test('shows who is in it and who is invited, with what they may do', async () => {
    const { rows } = await setUp()
    expect(rows).toEqual([
      expect.stringMatching(/Ada.*Admin.*All bots.*Online/),
      expect.stringMatching(/Nora.*Agent.*Shop.*Not active yet/),
      expect.stringMatching(/omar@shop\.example.*Agent.*Blog.*Invited until/),
      expect.stringMatching(/Nora@shop\.example.*Link for a new password/),
    ])
  })

  test('shows the link of an invitation', async () => {
    const { calls } = await setUp()
    click('Invite')
    const dialog = within(screen.getByRole('dialog'))
    fireEvent.input(dialog.getByLabelText('Email'), { target: { value: 'eve@shop.example' } })
    fireEvent.click(dialog.getByLabelText('All bots'))
    fireEvent.click(dialog.getByLabelText('Blog'))
    fireEvent.click(dialog.getByRole('button', { name: 'Invite' }))
    const link = await screen.findByLabelText('Link for eve@shop.example')
    expect((link as HTMLInputElement).value).toBe(`${location.origin}/desk/invite#secret`)
    const body = { email: 'eve@shop.example', role: 'agent', botIds: ['b2'] }
    expect(calls).toEqual([['POST', '/team/invitations', body]])
  })

  test('shows the link for a new password', async () => {
    const { calls } = await setUp()
    click('Edit Nora')
    fireEvent.click(await screen.findByRole('button', { name: 'Link for a new password' }))
    const link = await screen.findByLabelText('Link for Nora@shop.example')
    expect((link as HTMLInputElement).value).toBe(`${location.origin}/desk/invite#secret`)
    expect(calls).toEqual([['POST', '/team/members/Nora/password-link']])
  })

  test('offers no new password where everybody signs in at a provider', async () => {
    await setUp({ passwords: false })
    click('Edit Nora')
    await screen.findByText('Not signed in anywhere.')
    expect(screen.queryByRole('button', { name: 'Link for a new password' })).toBeNull()
  })

  test('makes an agent an admin, who sees all bots', async () => {
    const { calls } = await setUp()
    click('Edit Nora')
    const dialog = within(screen.getByRole('dialog'))
    fireEvent.click(dialog.getByLabelText(/^Admin/))
    expect(dialog.queryByLabelText('Shop')).toBeNull()
    fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(calls).toEqual([['PUT', '/team/members/Nora', { role: 'admin', botIds: null }]])
  })

  test('asks before it removes somebody, and says why it cannot', async () => {
    const { calls } = await setUp({ failure: 'last_admin' })
    click('Edit Ada')
    click('Remove from the team')
    const dialog = await screen.findByRole('dialog', { name: 'Remove Ada from the team?' })
    expect(calls).toEqual([])
    fireEvent.click(dialog.querySelector('.danger') as Element)
    expect(await screen.findByText(en.team.lastAdmin)).toBeTruthy()
    expect(calls).toEqual([['DELETE', '/team/members/Ada']])
  })
})
