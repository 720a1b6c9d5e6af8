import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { DeskSession, Invitation } from '../../contract/index.ts'
import { createMember, deskCalls, type TestMember } from '../testing/createMember.ts'
import { createTestTenants, dataOf, type TestTenants } from '../testing/testTenants.ts'

const password = 'correct horse battery'

let tenants: TestTenants
let admin: TestMember
beforeEach(async () => {
  tenants = await createTestTenants()
  admin = await createMember(tenants, { role: 'admin', name: 'Ada' })
})

/** Invites, and resolves to the token of the link. */
async function invite(fields: object = {}): Promise<string> {
  const json = { email: `${randomUUID()}@shop.example`, role: 'agent', ...fields }
  const { url } = await dataOf<{ url: string }>(admin.call('POST', '/invitations', { json }))
  return url.split('#')[1] ?? ''
}

const anybody: TestMember['call'] = (...args) => deskCalls(tenants.platform)(...args)
const accept = (token: string, fields: object = {}) =>
  anybody('POST', '/invitations/accept', { json: { token, name: 'Nora', password, ...fields } })
const signIn = (email: string, more: { password?: string; headers?: Record<string, string>; address?: string } = {}) =>
  anybody('POST', '/session', { ...more, json: { email, password: more.password ?? password } })

/** The cookie that a response sets. */
const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
const as = (cookie: string): TestMember['call'] => deskCalls(tenants.platform, cookie)

describe('an invitation', () => {
  it('makes a member, who is signed in and can sign in again', async () => {
    const { bot } = tenants.ours
    const token = await invite({ email: 'Nora@shop.example', botIds: [bot.id] })
    const look = await dataOf<Invitation>(anybody('POST', '/invitations/look', { json: { token } }))
    expect(look).toEqual({ email: 'Nora@shop.example', organization: 'Acme' })
    const accepted = await accept(token)
    const session = await dataOf<DeskSession>(as(cookieOf(accepted))('GET', '/session'))
    expect(session).toMatchObject({
      member: { name: 'Nora', email: 'Nora@shop.example', role: 'agent', botIds: [bot.id], presence: 'off' },
      organization: { id: bot.organizationId, name: 'Acme' },
      bots: [{ id: bot.id, name: 'Acme', attachments: true, hasResponder: true }],
    })
    expect(await dataOf(accepted)).toEqual(session)
    const signedIn = await signIn('nora@SHOP.example')
    expect(await dataOf(signedIn)).toEqual(session)
    expect(cookieOf(signedIn)).not.toBe(cookieOf(accepted))
  })
})
