import { type Guard, type Table, tables } from './tables.ts'

/**
 * Where an organization is on its way to another database.
 *
 * | | in the database that it leaves | in the one where it goes |
 * |---|---|---|
 * | while it is copied | `copying` | `arriving` |
 * | after that | `copied` | `arrived` |
 * | after `--finish` | `leaving`, until its rows are deleted | none: it is open |
 * | after `--abandon` | none: it is open | `leaving`, until its rows are deleted |
 *
 * It takes writes nowhere but where it has no state. `copying` lapses: a copy that was killed leaves it open.
 */
export type MoveState = 'copying' | 'copied' | 'arriving' | 'arrived' | 'leaving'

export interface Move {
  state: MoveState
  /** Whether it was `copying`, and its process has not renewed that in time. */
  hasLapsed: boolean
}

/** How engines say the present time in milliseconds. */
export const nowMs = {
  postgres: '(extract(epoch FROM clock_timestamp()) * 1000)',
  sqlite: `(unixepoch('subsec') * 1000)`,
}

/**
 * The message of the error by which the database refuses a write, and PostgreSQL's code for it, of a class that neither
 * PostgreSQL nor the SQL standard uses.
 */
export const movingMessage = 'The organization is being moved to another database.'
export const movingCode = 'NT001'

/** Whether the moves of an engine refuse a write of this organization now. `arriving` lets the copy itself write. */
const isRefused = (organization: string, now: string): string =>
  `EXISTS (SELECT 1 FROM organization_moves m WHERE m.organization_id = ${organization} AND m.state <> 'arriving'
    AND (m.reopens_at IS NULL OR m.reopens_at > ${now}))`

const isKept = (organization: string, now: string): string =>
  isRefused(organization, now).replace(`<> 'arriving'`, `NOT IN ('arriving', 'leaving')`)

type Guarded = Table & { guard: Guard }
const guarded = tables.filter((table): table is Guarded => table.guard !== undefined)

const changing = ({ columns, guard: { mayChange = [] } }: Guarded): string =>
  columns.filter(column => !mayChange.includes(column)).join(', ')

/** A trigger for each table, which refuses what an organization that is moved must not write. */
export interface GuardStatements {
  table: string
  create: string[]
  drop: string[]
}

export const postgresGuards: GuardStatements[] = guarded.map(table => {
  const { name, guard } = table
  const { organizationOf, keepsRows } = guard
  const trigger = `natter_guard_${name}`
  const refuse = `RAISE EXCEPTION USING ERRCODE = '${movingCode}', MESSAGE = '${movingMessage}'`
  return {
    table: name,
    create: [
      `CREATE OR REPLACE FUNCTION ${trigger}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP = 'INSERT' THEN
          IF ${isRefused(organizationOf('NEW'), nowMs.postgres)} THEN ${refuse}; END IF;
        ELSIF TG_OP = 'UPDATE' THEN
          IF ${isRefused(organizationOf('OLD'), nowMs.postgres)} THEN ${refuse}; END IF;
        ELSE
          IF ${isKept(organizationOf('OLD'), nowMs.postgres)} THEN ${refuse}; END IF;
          RETURN OLD;
        END IF;
        RETURN NEW;
      END $$`,
      `CREATE OR REPLACE TRIGGER ${trigger} BEFORE INSERT OR UPDATE OF ${changing(table)} ${keepsRows ? 'OR DELETE ' : ''}
       ON ${name} FOR EACH ROW EXECUTE FUNCTION ${trigger}()`,
    ],
    drop: [`DROP TRIGGER IF EXISTS ${trigger} ON ${name}`, `DROP FUNCTION IF EXISTS ${trigger}()`],
  }
})

export const sqliteGuards: GuardStatements[] = guarded.map(table => {
  const { name, guard } = table
  const { organizationOf, keepsRows } = guard
  const of = (operation: string, event: string, condition: string): { name: string; create: string } => ({
    name: `natter_guard_${name}_${operation}`,
    create: `CREATE TRIGGER IF NOT EXISTS natter_guard_${name}_${operation} BEFORE ${event} ON ${name} WHEN ${condition}
      BEGIN SELECT RAISE(ABORT, '${movingMessage}'); END`,
  })
  const triggers = [
    of('insert', 'INSERT', isRefused(organizationOf('NEW'), nowMs.sqlite)),
    of('update', `UPDATE OF ${changing(table)}`, isRefused(organizationOf('OLD'), nowMs.sqlite)),
    ...(keepsRows ? [of('delete', 'DELETE', isKept(organizationOf('OLD'), nowMs.sqlite))] : []),
  ]
  return {
    table: name,
    create: triggers.map(({ create }) => create),
    drop: triggers.map(({ name: trigger }) => `DROP TRIGGER IF EXISTS ${trigger}`),
  }
})

/** The bots of organizations that take no writes: nobody works on their turns and deliveries. */
export const closedBots = (engine: keyof typeof nowMs): string =>
  `SELECT b.id FROM organization_moves m JOIN bots b ON b.organization_id = m.organization_id
   WHERE m.reopens_at IS NULL OR m.reopens_at > ${nowMs[engine]}`
