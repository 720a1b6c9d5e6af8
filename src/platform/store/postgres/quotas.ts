import type { QuotaGrant, Store } from '../store.ts'
import type { Database } from './connection.ts'

/**
 * A node takes one of so many parts of the remaining permits: a small part wastes few permits if the node uses none of
 * them, a large one takes few statements.
 */
const parts = 16

/** How many of the remaining permits are granted. */
const share = (left: string): string => `greatest(0, least(${left}, greatest($4::integer, (${left}) / ${parts})))`

// Uses the server's clock, which all nodes share. A window that ends too late was written before the clock was set back.
const isOverSql = `p.ends_at - excluded.ends_at NOT BETWEEN -($2 * interval '1 ms') AND $2 * interval '1 ms'`

const take = `
INSERT INTO quotas AS p (key, ends_at, taken, granted)
VALUES ($1, clock_timestamp() + $2 * interval '1 ms', ${share('$3::integer')}, ${share('$3::integer')})
ON CONFLICT (key) DO UPDATE SET
  ends_at = CASE WHEN ${isOverSql} THEN excluded.ends_at ELSE p.ends_at END,
  taken = CASE WHEN ${isOverSql} THEN excluded.taken ELSE p.taken + ${share('$3 - p.taken')} END,
  granted = CASE WHEN ${isOverSql} THEN excluded.granted ELSE ${share('$3 - p.taken')} END
RETURNING granted, greatest(0, $3 - taken) AS left, extract(epoch FROM ends_at - clock_timestamp())::float * 1000 AS "resetMs"`

/** Rate limits across nodes: one row per key, from which nodes take permits. */
export function quotas(db: Database): Required<Pick<Store, 'consumeQuota'>> {
  return {
    async consumeQuota(key, { quota, windowMs, wanted }) {
      const [taken] = await db.write<QuotaGrant>(take, [key, windowMs, quota, wanted])
      if (!taken) throw new Error('Permits were neither granted nor refused.')
      return taken
    },
  }
}
