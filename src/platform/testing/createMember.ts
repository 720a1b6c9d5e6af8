import { randomUUID } from 'node:crypto'
import type { MemberRole } from '../../contract/desk.ts'
import { issueInvitation } from '../domain/members.ts'
import { timestamp } from '../domain/time.ts'
import { hashToken, mintHexToken } from '../domain/tokens.ts'
import type { Platform } from '../platform.ts'
import { connectionFrom } from './connectionFrom.ts'
import { type CallOptions, deskOrigin, type TestTenants } from './testTenants.ts'

/** A member of the team who is signed in at the desk. */
export interface TestMember {
  id: string
  name: string
  email: string
  /** The value of the `Cookie` header. */
  cookie: string
  /** Calls a path below `/desk/api` as the desk does, with the member's cookie. */
  call(method: string, path: string, options?: DeskCallOptions): Promise<Response>
}
export interface DeskCallOptions extends Pick<CallOptions, 'json' | 'body' | 'headers' | 'address'> {
  /** Another node; default: the platform of the tenants. */
  platform?: Platform
}

/** Signs a member of the organization of `ours` in, without the time that a password takes. By default it sees all bots. */
export async function createMember(
  tenants: Pick<TestTenants, 'platform' | 'store' | 'clock' | 'ours'>,
  options: {
    role?: MemberRole
    botIds?: string[] | null
    name?: string
    email?: string
    organizationId?: string
    passwordHash?: string
  } = {},
): Promise<TestMember> {
  const { store, clock, ours } = tenants
  const { role = 'agent', botIds = null, name = 'Nora', email = `${randomUUID()}@shop.example` } = options
  const { organizationId = ours.bot.organizationId, passwordHash = 'none' } = options
  const invitation = await issueInvitation(store, { organizationId, email, role, botIds }, clock)
  const { token, hash } = mintHexToken()
  const now = clock.now()
  const [id, createdAt] = [randomUUID(), timestamp(now)]
  const session = { hash, createdAt, expiresAt: timestamp(now + 12 * 60 * 60_000) }
  await store.acceptInvitation(hashToken(invitation), { id, name, passwordHash, createdAt }, session)
  const cookie = `__Host-natter-desk=${token}`
  return { id, name, email, cookie, call: deskCalls(tenants.platform, cookie, id) }
}

/** Calls paths below `/desk/api` as a page of the member does. A header that is `''` is not sent. */
export const deskCalls =
  (platform: Platform, cookie = '', memberId = ''): TestMember['call'] =>
  (method, path, { json, body, headers = {}, address, platform: node = platform } = {}) => {
    const text = json === undefined ? '' : JSON.stringify(json)
    const type = text && { 'content-type': 'application/json' }
    const all = { origin: deskOrigin, cookie, 'natter-member': memberId, ...type, ...headers }
    const request = new Request(`${deskOrigin}/desk/api${path}`, {
      method,
      headers: Object.entries(all).filter(([, value]) => value !== ''),
      body: body ?? (text === '' ? null : text),
    })
    return node.fetch(request, address === undefined ? {} : connectionFrom(address, text))
  }
