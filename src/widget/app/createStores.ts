import { createIdentityStore } from '../identity/identityStore.ts'
import { storageKey } from '../identity/storedIdentity.ts'
import { createRecords, type RecordsDeps } from '../store/records.ts'
import { createTabEntries, updateEntries } from '../store/tabEntries.ts'
import type { AppSettings } from './appSettings.ts'
import type { Environment } from './environment.ts'

/** Creates the stores in the browser. All tabs share them if `persist` is `local`; otherwise each tab has its own. */
export function createStores(
  { botId, persist = 'local' }: Pick<AppSettings, 'botId' | 'persist'>,
  environment: Environment,
  onOvertaken: RecordsDeps['onOvertaken'],
) {
  const { clock, page, storage, createId } = environment
  const entries = createTabEntries(storage, storageKey(botId, 'identity'))
  const { notifySameWindow } = page
  const identity = createIdentityStore({ botId, clock, createId, entries, notifySameWindow })
  const update = persist === 'local' ? environment.update : updateEntries(botId, entries)
  // The site has chosen that nothing is stored. The browser has blocked nothing, so visitors need no notice.
  const isBlocked = () => persist !== 'memory' && identity.isBlocked()
  return {
    identity: { ...identity, isBlocked },
    records: createRecords({ update, clock, identity, onOvertaken }),
  }
}
