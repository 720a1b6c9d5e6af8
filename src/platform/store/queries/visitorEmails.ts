import { randomUUID } from 'node:crypto'
import type { Database, Queries } from '../database.ts'
import type { ConfirmationLink, ConfirmationRequest, VisitorEmailStore } from '../store.ts'
import { timeBefore } from './common.ts'
import { lockOpenConversation } from './conversations.ts'
import { emailQueue } from './deliveries.ts'

/** How many emails a conversation can cause, each to another address. */
const maxConfirmations = 3
/** How many emails the visitors of a bot can cause in 24 hours, so that nobody sends masses of them to strangers. */
const maxConfirmationsOfBot = 200

export function visitorEmails(db: Database): VisitorEmailStore {
  return {
    leaveEmail: (hash, { email, emailHash, mailboxHash, locale, at }) =>
      db.transact(async tx => {
        const conversation = await lockOpenConversation(tx, hash, at)
        if (!conversation) return 'ended'
        const { id: conversationId } = conversation
        // The owner of the former address has a link that ends emails to the visitor.
        await tx.all(
          `DELETE FROM email_links WHERE conversation_id = $1 AND email_hash IS NULL
             AND EXISTS (SELECT 1 FROM conversations WHERE id = $1 AND email_hash <> $2)`,
          [conversationId, emailHash],
        )
        const left = await tx.all(
          `UPDATE conversations SET email = $2, email_hash = $3,
             email_confirmed_at = CASE WHEN email_hash = $3 THEN email_confirmed_at END,
             emails_ended = CASE WHEN email_hash = $3 THEN emails_ended END, locale = coalesce($4, locale),
             desk_revision = desk_revision + 1, changed_at = $5
           WHERE id = $1 AND contact_id IS NULL AND is_begun RETURNING id`,
          [conversationId, email, emailHash, locale ?? null, at],
        )
        if (left.length === 0) return 'not_found'
        const isNew = await tx.one(
          `INSERT INTO email_confirmations (mailbox_hash, bot_id, conversation_id, created_at)
           SELECT $1::text, v.bot_id, v.id, $3::text FROM conversations v WHERE v.id = $2
             AND (SELECT count(*) FROM email_confirmations WHERE conversation_id = v.id) < ${maxConfirmations}
             AND (SELECT count(*) FROM email_confirmations e WHERE e.bot_id = v.bot_id AND e.created_at > $4)
               < ${maxConfirmationsOfBot}
           ON CONFLICT (mailbox_hash) DO NOTHING RETURNING mailbox_hash`,
          [mailboxHash, conversationId, at, timeBefore(at, 24 * 60 * 60 * 1000)],
        )
        const data: ConfirmationRequest['data'] = { conversationId, emailHash }
        if (isNew)
          await tx.all(
            `INSERT INTO deliveries (id, queue, bot_id, conversation_id, type, data, created_at, due_at)
             SELECT $1::text, $2::text, bot_id, id, 'email.confirmation', $3::json, $4::text, $4::text
             FROM conversations WHERE id = $5`,
            [randomUUID(), emailQueue, JSON.stringify(data), at, conversationId],
          )
        return 'left'
      }),
    beginConfirmation: ({ conversationId, emailHash }, { hash, at }) =>
      db.transact(async tx => {
        const found = await tx.one<{ to: string; locale: string | null }>(
          `SELECT email AS "to", locale FROM conversations
           WHERE id = $1 AND email_hash = $2 AND email_confirmed_at IS NULL FOR KEY SHARE`,
          [conversationId, emailHash],
        )
        if (!found) return null
        await tx.all(
          'INSERT INTO email_links (hash, conversation_id, email_hash, created_at) VALUES ($1, $2, $3, $4)',
          [hash, conversationId, emailHash, at],
        )
        return found
      }),
    findConfirmationLink: (hash, since) => findLink(db, hash, since),
    confirmEmail: (hash, { at, since }) =>
      db.transact(async tx => {
        const link = await findLink(tx, hash, since)
        if (!link) return null
        // Another address may have been left meanwhile, or the link may have been used.
        const confirmed = await tx.one<{ emailHash: string }>(
          `UPDATE conversations SET email_confirmed_at = $3, unread_since = CASE WHEN unread > 0 THEN $3 END,
             desk_revision = desk_revision + 1, changed_at = $3
           WHERE id = $1 AND email_confirmed_at IS NULL
             AND email_hash = (SELECT email_hash FROM email_links WHERE hash = $2)
           RETURNING email_hash AS "emailHash"`,
          [link.conversationId, hash, at],
        )
        if (!confirmed) return null
        await tx.all('DELETE FROM email_links WHERE conversation_id = $1 AND email_hash = $2', [
          link.conversationId,
          confirmed.emailHash,
        ])
        return link
      }),
  }
}

async function findLink(db: Queries, hash: string, since: string): Promise<ConfirmationLink | null> {
  const link = await db.one<ConfirmationLink>(
    `SELECT v.id AS "conversationId", v.bot_id AS "botId", v.locale
     FROM email_links l JOIN conversations v ON v.id = l.conversation_id AND v.email_hash = l.email_hash
     WHERE l.hash = $1 AND l.created_at > $2`,
    [hash, since],
  )
  return link ?? null
}
