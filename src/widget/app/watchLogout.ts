import { effect } from '@preact/signals-core'
import type { SessionCore } from '../models/session/sessionModel.ts'
import type { IdentityStore } from '../storage/identityStore.ts'

/** Notices a logout, of this tab or another one, until `stop` is called. That the site has signed the contact out is none. */
export function watchLogout(session: Pick<SessionCore, 'scopeKey'>, identity: IdentityStore) {
  const before = identity.read().epoch
  let wasLoggedOut = false
  const stop = effect(() => {
    session.scopeKey.value
    const { epoch, reason } = identity.read()
    if (epoch !== before && reason === 'logout') wasLoggedOut = true
  })
  return {
    stop() {
      stop()
      return { wasLoggedOut }
    },
  }
}
