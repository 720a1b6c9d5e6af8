import type { Database, Dialect } from '../database.ts'
import type { Store } from '../store.ts'

import { attachments } from './attachments.ts'
import { audit } from './audit.ts'
import { contacts } from './contacts.ts'
import { conversations } from './conversations.ts'
import { deliveries } from './deliveries.ts'
import { desk } from './desk.ts'
import { deskSearch } from './deskSearch.ts'
import { handovers } from './handovers.ts'
import { members } from './members.ts'
import { messageChanges } from './messageChanges.ts'
import { numbers } from './numbers.ts'
import { organizations } from './organizations.ts'
import { type Purge, purge } from './purge.ts'
import { savedReplies } from './savedReplies.ts'
import { search } from './search.ts'
import { sessions } from './sessions.ts'
import { teamConversations } from './teamConversations.ts'
import { turns } from './turns.ts'
import { visitorEmails } from './visitorEmails.ts'

/** The methods that are the same for all databases. */
type Methods = Omit<Store, 'now' | 'ping' | 'queueDepth' | 'purge' | 'close'> & Purge

export const methodsOf = (db: Database, dialect: Dialect): Methods => ({
  ...organizations(db),
  ...contacts(db, dialect),
  ...search(db, dialect),
  ...sessions(db),
  ...members(db),
  ...audit(db),
  ...conversations(db),
  ...teamConversations(db),
  ...handovers(db),
  ...messageChanges(db),
  ...attachments(db),
  ...turns(db),
  ...deliveries(db, dialect.limits),
  ...desk(db),
  ...deskSearch(db, dialect),
  ...savedReplies(db),
  ...visitorEmails(db),
  ...numbers(db, dialect),
  ...purge(db, dialect.limits.rowsPerErasure),
})
