import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { ConfirmationLink, VisitorEmailStore } from '../store/store.ts'
import { announce } from './announce.ts'
import { timestamp } from './time.ts'
import { hashToken } from './tokens.ts'

const linkLifetimeMs = 24 * 60 * 60_000

/** The links with which the owner of an address confirms that it is an anonymous visitor's. */
export type EmailConfirmations = ReturnType<typeof createEmailConfirmations>

export function createEmailConfirmations({
  store,
  bus,
  clock,
}: {
  store: Pick<VisitorEmailStore, 'findConfirmationLink' | 'confirmEmail'>
  bus: Bus
  clock: Pick<Clock, 'now'>
}) {
  const since = () => timestamp(clock.now() - linkLifetimeMs)
  return {
    /** Finds what the link with this token confirms; `null` if it does not work any more. */
    find: (token: string): Promise<ConfirmationLink | null> => store.findConfirmationLink(hashToken(token), since()),
    /** Uses the link, which works once. */
    async confirm(token: string): Promise<ConfirmationLink | null> {
      const use = { at: timestamp(clock.now()), since: since() }
      const link = await store.confirmEmail(hashToken(token), use)
      if (link) announce(bus, link)
      return link
    },
  }
}
