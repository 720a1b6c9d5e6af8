import type { Clock } from '../clock.ts'
import { copyDatabase } from '../store/copyDatabase.ts'
import type { MoveDatabase } from '../store/moves/moveDatabase.ts'
import { abandonMove, copyOrganization, finishMove, type OrganizationMove } from '../store/moves/moveOrganization.ts'
import { nameOfDatabase } from '../store/openStore.ts'
import { isPostgres } from '../store/postgres/address.ts'
import { openPostgresMoveDatabase } from '../store/postgres/moveDatabase.ts'
import { lockExclusive } from '../store/sqlite/databaseLock.ts'
import { realPathOf } from '../store/sqlite/folder.ts'
import { openSqliteMoveDatabase } from '../store/sqlite/moveDatabase.ts'
import { type CommandContext, command, type Topic } from './command.ts'
import { database, existing } from './database.ts'
import type { Options } from './option.ts'
import { organization } from './organizations.ts'
import { UsageError } from './usageError.ts'

/** How often progress is reported. */
const progressMs = 1_000

const options = {
  from: { ...database, variable: undefined, default: undefined, description: 'The database to copy from' },
  to: { ...database, variable: undefined, default: undefined, description: 'The database to copy to' },
  organization: { ...organization, description: 'Move this organization alone' },
  finish: { description: 'Open the organization in the new database, and delete it in the old one' },
  abandon: { description: 'Delete the copy of the organization, and open it where it was' },
} satisfies Options
type Context = CommandContext<typeof options, 'from' | 'to'>

async function run(call: Context): Promise<void> {
  const { from, to, organization: id, finish, abandon } = call.values
  existing(from, '--from')
  if (identityOf(from) === identityOf(to)) throw new UsageError('--from and --to are the same database.')
  if (id !== undefined) return moveOrganization(call, id)
  if (finish || abandon) throw new UsageError('--finish and --abandon need --organization.')
  if (isPostgres(from) || !isPostgres(to))
    throw new UsageError(
      'Without --organization, --from is a file, and --to an address that begins with postgres://. Copy PostgreSQL by its own means, such as pg_dump.',
    )
  const release = lockExclusive(from)
  try {
    const rows = await copyDatabase({
      from,
      to,
      onProgress: reportTables(call),
      onWait: line => call.stderr(`${line}\n`),
    })
    call.printLine(`copied ${rows} rows to ${nameOfDatabase(to)}; counts and checksums agree`)
  } finally {
    release()
  }
}

async function moveOrganization(call: Context, organizationId: string): Promise<void> {
  const { from, to, finish, abandon } = call.values
  if (finish && abandon) throw new UsageError('Name --finish or --abandon, not both.')
  const isCopy = !finish && !abandon
  if (!isCopy) existing(to, '--to')
  // A file has one writer. Its server would wait for the whole copy.
  const release = isCopy && !isPostgres(to) ? lockExclusive(to) : () => {}
  const open: MoveDatabase[] = []
  try {
    const report = (line: string) => call.stderr(`${line}\n`)
    const databases = new Map<string, MoveDatabase>()
    // Always in the same order. Otherwise two commands in opposite directions could wait for each other's locks.
    for (const address of [from, to].toSorted()) {
      const opened = isPostgres(address)
        ? await openPostgresMoveDatabase(address, report)
        : openSqliteMoveDatabase(address)
      open.push(opened)
      databases.set(address, opened)
    }
    const move = { organizationId, from: databases.get(from), to: databases.get(to) } as OrganizationMove
    const reportDeleted = atIntervals(call.clock, (rows: number) => report(`${rows} rows deleted`))
    if (isCopy) {
      const rows = await copyOrganization(move, { onProgress: reportTables(call) })
      call.printLine(`copied ${rows} rows to ${move.to.name}; counts and checksums agree`)
      call.printLine('neither database takes writes of it now: send its requests to the new one, then run --finish')
    } else if (finish) {
      await finishMove(move, reportDeleted)
      call.printLine(`${move.to.name} takes writes of it; ${move.from.name} holds it no longer`)
    } else {
      await abandonMove(move, reportDeleted)
      call.printLine(`${move.from.name} takes writes of it; ${move.to.name} holds no copy`)
    }
  } finally {
    await Promise.all(open.map(database => database.close()))
    release()
  }
}

/** Two paths may lead to the same file. */
const identityOf = (database: string): string =>
  isPostgres(database) ? nameOfDatabase(database) : realPathOf(database)

const reportTables = ({ clock, stderr }: Context) =>
  atIntervals(
    clock,
    ({ table, copied, total }: { table: string; copied: number; total: number }) =>
      stderr(`${table}: ${copied} of ${total}\n`),
    ({ copied, total }) => copied === total,
  )

/** Reports progress once a second, and immediately if it is the last of its kind. */
function atIntervals<Progress>(
  clock: Clock,
  report: (progress: Progress) => void,
  isLast: (progress: Progress) => boolean = () => false,
): (progress: Progress) => void {
  let reportedAt = clock.elapsed()
  return progress => {
    if (!isLast(progress) && clock.elapsed() - reportedAt < progressMs) return
    reportedAt = clock.elapsed()
    report(progress)
  }
}

export const copy: Topic = {
  name: 'copy',
  summary: 'Copy a database file into PostgreSQL, or move one organization to another database',
  note: `To copy a whole database: first stop the server of --from, which must be a file. The file is not changed. The new
database must be empty. It gets everything or nothing, and each row is read back and compared.
To move one organization between any two databases: servers of --from keep running. The server of --to must be
stopped if --to is a file. From the beginning until --finish or --abandon, the organization can be read, but its
writes get 503 (organization_moving). Once it is copied, send its requests to the new database and run the same command
with --finish, or with --abandon to keep it in the old one. A copy that fails or is killed leaves nothing in the new
database, and writes work again within a minute.
Use the address of PostgreSQL itself, not of a connection pooler. The password may be in PGPASSWORD.`,
  commands: [
    command({
      name: 'copy',
      summary: 'Copies everything, including tokens and turns: a server continues with the copy',
      required: ['from', 'to'],
      options,
      run,
    }),
  ],
}
