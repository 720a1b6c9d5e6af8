import { mapInSlices } from '../../mapInSlices.ts'
import { type Dialect, defaultStoreLimits, type StoreLimits } from '../database.ts'

/** What PostgreSQL does in its own way. */
export const postgresDialect = (limits: StoreLimits = defaultStoreLimits): Dialect => ({
  map: mapInSlices,
  /**
   * An advisory lock, because those are granted in the order of the requests: a row lock could be shared again and again
   * while another transaction waits to have it exclusively. The statement timeout ends the wait: it is the time that the
   * caller had left when the transaction began.
   */
  async lockEmails(tx, { organizationId }, mode) {
    const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
    await tx.all(`SELECT ${lock}(hashtextextended('emails of ' || $1, 0))`, [organizationId])
  },
  limits,
  search: {
    contains: (column, value) => `${column} LIKE ${value}`,
    // The time limit of statements ends it.
    isInTime: () => 'true',
    toValue: toPattern,
    // PostgreSQL itself decides whether it uses the index.
    lookUp: async () => ({ from: () => 'contacts' }),
    async lookUpMessages(tx, words, { botIds, before, limit }) {
      const found = await tx.all<{ number: number }>(
        `SELECT number FROM message_texts WHERE bot_id = ANY ($1) AND number < $2
           AND ${words.map((_, index) => `text LIKE $${index + 4}`).join(' AND ')}
         ORDER BY number DESC LIMIT $3`,
        [botIds, before, limit, ...words.map(toPattern)],
      )
      return found.map(({ number }) => number)
    },
  },
})

const toPattern = (form: string): string => `%${form.replace(/[\\%_]/g, '\\$&')}%`
