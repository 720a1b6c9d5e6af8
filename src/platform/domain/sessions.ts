import type { ContactToken, VisitorSession } from '../../contract/index.ts'
import { contactTokenPattern, organizationTokenPattern, visitorTokenPattern } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type {
  Bot,
  EndedSession,
  OrganizationStore,
  OrganizationToken,
  SessionEndReason,
  SessionRow,
  SessionStore,
} from '../store/store.ts'
import { createId } from './ids.ts'
import { notFound, type ProblemError, problem } from './problem.ts'
import { sessionSubject } from './subjects.ts'
import { timestamp } from './time.ts'
import { hashToken, mintVisitorToken } from './tokens.ts'

/** Finds the owner of a token, checks whether the token is valid, and begins and ends the sessions of visitors. */
export type Sessions = ReturnType<typeof createSessions>

const minute = 60 * 1000
/** An anonymous session ends 24 h after its last use. */
const visitorLifetime = 24 * 60 * minute
/**
 * The expiry of a session and the last use of an organization token are updated at most this often. Otherwise each use
 * would be a write.
 */
const writeEvery = 5 * minute

export interface SessionsOptions {
  requestStore: SessionStore & OrganizationStore
  /** For writes that no request waits for. */
  backgroundStore: Pick<OrganizationStore, 'touchOrganizationToken'>
  bus: Bus
  clock: Clock
  onError: (error: unknown) => void
}

export function createSessions({ requestStore, backgroundStore, bus, clock, onError }: SessionsOptions) {
  const find = async (token: string): Promise<SessionRow | null> =>
    contactTokenPattern.test(token) || visitorTokenPattern.test(token)
      ? requestStore.findSession(hashToken(token))
      : null

  const extend = async (session: SessionRow): Promise<void> => {
    const now = clock.now()
    const expiresAt = now + visitorLifetime
    // `abs`: if the clock was set back, the expiry moves back, too.
    if (session.contact || Math.abs(expiresAt - Date.parse(session.expiresAt)) < writeEvery) return
    await requestStore.extendSession(session.hash, timestamp(expiresAt), timestamp(now))
  }

  // Bounded by the number of organization tokens that were used since the start. Revoked ones stay.
  const lastUses = new Map<string, number>()
  const touch = ({ hash, lastUsedAt }: OrganizationToken): void => {
    const now = clock.now()
    const last = lastUses.get(hash) ?? Date.parse(lastUsedAt ?? '')
    // `abs`: the clock may have been set back.
    if (Math.abs(now - last) < writeEvery) return
    lastUses.set(hash, now)
    // Not awaited: only people read it.
    backgroundStore.touchOrganizationToken(hash, timestamp(now)).catch(onError)
  }

  return {
    /** The record of an organization token; `null` if it is unknown. Throws the 401 for a revoked one. */
    async findOrganizationToken(token: string): Promise<OrganizationToken | null> {
      if (!organizationTokenPattern.test(token)) return null
      const found = await requestStore.findOrganizationToken(hashToken(token))
      if (!found) return null
      if (found.revokedAt !== null)
        throw problem('unauthorized', {
          detail: 'This organization token has been revoked. "natter token list" shows which are open.',
        })
      touch(found)
      return found
    },

    /** Whether a contact or visitor token is valid for any bot. */
    async isOpen(token: string): Promise<boolean> {
      const session = await find(token)
      return session !== null && refusal(session, clock.now()) === null
    },

    /** The token's open session with the bot. Throws the 401 that says why there is none. */
    async require(bot: Pick<Bot, 'id' | 'visitors'>, token: string): Promise<SessionRow> {
      const session = await find(token)
      // Treat a session of another bot like an unknown one.
      if (session?.botId !== bot.id) throw problem('unauthorized')
      const refused = refusal(session, clock.now())
      if (refused) throw refused
      // The session was created while the bot was being closed to anonymous visitors, which ended all earlier sessions.
      if (!session.contact && bot.visitors === 'contacts') throw problem('token_revoked')
      await extend(session)
      return session
    },

    /** Creates an anonymous session. Throws `login_required` if the bot is for contacts only. */
    async createVisitor(botId: string): Promise<VisitorSession> {
      const now = clock.now()
      const { token, hash } = mintVisitorToken()
      const dates: Omit<ContactToken, 'token'> = {
        createdAt: timestamp(now),
        expiresAt: timestamp(now + visitorLifetime),
      }
      const result = await requestStore.createVisitorSession(botId, { hash, conversationId: createId(now), ...dates })
      if (result === 'not_found') throw notFound()
      if (result === 'contacts_only') throw problem('login_required')
      return { token, ...dates }
    },

    /** Ends a session, as a logout does. Its token is then revoked. */
    async end({ botId, hash }: SessionRow): Promise<void> {
      const ended = await requestStore.endSession(botId, hash, 'logged_out', timestamp(clock.now()))
      if (ended) publishSessionEnds(bus, [ended])
    },
  }
}

/** Publishes that these sessions have ended, so that all of their open streams close. */
export function publishSessionEnds(bus: Bus, sessions: EndedSession[]): void {
  for (const { hash, reason } of sessions) bus.publish(sessionSubject(hash), { type: 'ended', hash, reason })
}

/** The 401 that says why a session has ended, as the check of its token does; `null` if it is open. */
export async function findEnd(
  store: Pick<SessionStore, 'findSession'>,
  hash: string,
  now: number,
): Promise<ProblemError | null> {
  const session = await store.findSession(hash)
  return session ? refusal(session, now) : problem('unauthorized')
}

function refusal({ ended, expiresAt }: SessionRow, now: number): ProblemError | null {
  if (ended) return problem(endedCodes[ended.reason])
  return Date.parse(expiresAt) <= now ? problem('token_expired') : null
}

/** The error codes that tell the widget why its token is refused. */
const endedCodes = {
  expired: 'token_expired',
  contact_deleted: 'contact_deleted',
  revoked: 'token_revoked',
  logged_out: 'token_revoked',
  // Not a 401: the widget would begin another session.
  blocked: 'visitor_blocked',
} as const satisfies Record<SessionEndReason, string>
