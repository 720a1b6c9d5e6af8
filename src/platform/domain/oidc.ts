import { memberNameSchema } from '../../contract/desk.ts'
import { maxAgentNameLength, validate } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import type { MemberStore, OidcAccount } from '../store/store.ts'
import { emailKey } from './emailKey.ts'
import type { Members, SignedIn } from './members.ts'
import { type ProblemError, problem } from './problem.ts'
import { timestamp } from './time.ts'

/** The time from the button of the sign-in page until the person comes back. */
export const loginLifetimeMs = 10 * 60_000

/** Who somebody is, as the provider says. */
export interface OidcIdentity extends OidcAccount {
  email: string
  isEmailVerified: boolean
  name: string
}

/** A provider of OpenID Connect (`oidc/provider.ts`). */
export interface OidcProvider {
  /** Its host, as people know it. */
  host: string
  /** Begins a sign-in: where the browser goes, and what it keeps in its cookie until it comes back. */
  begin(): Promise<{ url: string; login: string }>
  /** Who has signed in, by the query with which the provider has sent the browser back, and the cookie. */
  identify(response: string, login: string | undefined): Promise<OidcIdentity>
}

/** Signing in by OpenID Connect. */
export type OidcSignIn = ReturnType<typeof createOidcSignIn>

export interface OidcSignInOptions {
  provider: OidcProvider
  members: Pick<Members, 'signInAs' | 'join'>
  store: MemberStore
  clock: Clock
}

/** Members sign in by the email that the provider has verified. Who has none here needs an invitation for it. */
export function createOidcSignIn({ provider, members, store, clock }: OidcSignInOptions) {
  return {
    host: provider.host,
    begin: provider.begin,

    async signIn(response: string, login: string | undefined, formerToken: string | undefined): Promise<SignedIn> {
      const { issuer, subject, email, isEmailVerified, name } = await provider.identify(response, login)
      const oidcAccount = { issuer, subject }
      const key = isEmailVerified ? emailKey(email) : null
      if (key === null)
        throw signInRefused(`${provider.host} has not verified your email, and the desk knows you by it.`)
      const member = await store.findMemberByEmail(key)
      if (member) {
        if (!(await store.connectOidcAccount(member.id, oidcAccount)))
          throw signInRefused(
            `${email} belonged to another account before: an admin must remove you, and invite you again.`,
          )
        return members.signInAs(member, formerToken)
      }
      const invitation = await store.findInvitationByEmail(key, timestamp(clock.now()))
      if (!invitation) throw signInRefused(`Nobody has invited ${email}: ask an admin of your team.`)
      const valid = validate(memberNameSchema, name)
      const memberName =
        'output' in valid ? valid.output : key.slice(0, key.lastIndexOf('@')).slice(0, maxAgentNameLength)
      return members.join(invitation.hash, { name: memberName, passwordHash: null, oidcAccount }, formerToken)
    },
  }
}

/** The detail is what the sign-in page says. */
export const signInRefused = (detail: string): ProblemError => problem('unauthorized', { detail, headers: {} })
