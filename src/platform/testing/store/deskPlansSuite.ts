import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeskView } from '../../../contract/desk.ts'
import { deskViews } from '../../../contract/deskLimits.ts'
import { normalizeQuery } from '../../search/searchNormalization.ts'
import type { Database, Dialect, Queries } from '../../store/database.ts'
import { desk } from '../../store/queries/desk.ts'
import { deskSearch } from '../../store/queries/deskSearch.ts'
import type { DeskStore } from '../../store/store.ts'
import { at } from './storeTenants.ts'

const time = "'2030-01-' || (10 + n % 19) || 'T00:00:00.000Z'"
const states =
  "CASE n % 20 WHEN 0 THEN 'waiting' WHEN 1 THEN 'open' WHEN 2 THEN 'open' WHEN 3 THEN 'bot' ELSE 'closed' END"

/** The rows of many conversations of two bots, as SQL for `n` from 1 to `count`. Each has one message. */
const insertConversations = (rows: string): string[] => [
  `INSERT INTO conversations (id, bot_id, created_at, last_seq, last_message_at, state, assignee_id, waiting_since, paused_until, changed_at)
   SELECT 'v' || n, 'bot' || (n % 2), ${time}, 1, ${time}, ${states}, CASE n % 20 WHEN 1 THEN 'm' || (n % 7) END,
     CASE n % 20 WHEN 0 THEN ${time} END, CASE n % 20 WHEN 2 THEN ${time} END, ${time} FROM ${rows}`,
  `INSERT INTO messages (conversation_id, seq, id, author, text, format, created_at)
   SELECT 'v' || n, 1, 'id', 'visitor', 'hello', 'plain', ${time} FROM ${rows}`,
  `INSERT INTO message_texts (bot_id, conversation_id, seq, text)
   SELECT 'bot' || (n % 2), 'v' || n, 1, 'hello' || n FROM ${rows}`,
]

const indexes: Record<DeskView, string> = {
  waiting: 'conversations_longest_waiting',
  mine: 'conversations_of_owner',
  unassigned: 'conversations_of_owner',
  bot: 'conversations_of_state',
  closed: 'conversations_of_state',
  all: 'conversations_newest',
}

export interface PlansOptions {
  dialect: Dialect
  open: () => Promise<Database & { close(): Promise<void> }>
  /** SQL for the rows with `n` from 1 to `count`. */
  numbers: (count: number) => string
  /** Whether the engine does so by itself. */
  collectStatistics: boolean
  /** What explains a statement. */
  explain: string
  /** What the plan of a statement must not contain. */
  scans: RegExp
}

/** Every list of the desk reads by an index, so that it takes as long however many conversations a bot has. */
export function describeDeskPlans({ dialect, open, numbers, collectStatistics, explain, scans }: PlansOptions): void {
  describe('the lists of the desk', () => {
    let db: Awaited<ReturnType<PlansOptions['open']>>
    const read: { text: string; values: unknown[] }[] = []
    const record = (queries: Queries): Queries => ({
      all: (text, values = []) => {
        read.push({ text, values })
        return queries.all(text, values)
      },
      one: (text, values = []) => {
        read.push({ text, values })
        return queries.one(text, values)
      },
    })
    /** The plans of the statements that a call has run, in lines. */
    const plansOf = async (call: (store: Omit<DeskStore, 'computeNumbers'>) => Promise<unknown>): Promise<string[]> => {
      read.length = 0
      const recorded: Database = {
        ...db,
        ...record(db),
        transact: (run, options) => db.transact((tx, n) => run(record(tx), n), options),
      }
      await call({ ...desk(recorded), ...deskSearch(recorded, dialect) })
      const plans = await Promise.all(read.map(({ text, values }) => db.all(`${explain} ${text}`, values)))
      return plans.map(rows => rows.map(row => Object.values(row).at(-1)).join('\n'))
    }

    beforeAll(async () => {
      db = await open()
      for (const statement of insertConversations(numbers(4000))) await db.write(statement)
      if (collectStatistics) await db.write('ANALYZE')
    })
    afterAll(() => db.close())

    const filter = { botIds: ['bot0', 'bot1'], memberId: 'm3' }
    const after = { at: at(20 * 86_400), id: 'v5' }

    it.each(deskViews)('finds a page of %s', async view => {
      const plans = await plansOf(store => store.listDeskConversations({ view, ...filter }, { after, limit: 31 }))
      for (const plan of plans) expect(plan).not.toMatch(scans)
      for (const plan of plans.slice(0, 2)) {
        expect(plan).toContain(indexes[view])
        // A page is read in its order, until it is full.
        expect(plan).not.toMatch(/\bsort\b|TEMP B-TREE/i)
      }
    })

    it('finds what somebody has searched', async () => {
      const scope = { organizationId: 'o' }
      const plans = await plansOf(store =>
        store.searchConversations(scope, { view: 'all', ...filter }, normalizeQuery('hello17'), { limit: 31 }),
      )
      for (const plan of plans) expect(plan).not.toMatch(scans)
      expect(plans.join()).toMatch(/message_search/)
    })

    it('finds what has changed', async () => {
      const plans = await plansOf(store => store.listChangedDeskConversations(filter.botIds, at(27.5 * 86_400), 100))
      expect(plans.join()).toContain('conversations_changed')
    })

    it('counts no further than is shown', async () => {
      const [plan] = await plansOf(store => store.listDeskCounts(filter))
      expect(plan).toContain('conversations_of_state')
    })
  })
}
