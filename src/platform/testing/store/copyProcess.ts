import { copyOrganization } from '../../store/moves/moveOrganization.ts'
import { openPostgresMoveDatabase } from '../../store/postgres/moveDatabase.ts'

/** Copies an organization between the databases of the arguments, in a process that a test can kill. */
const [organizationId = '', from = '', to = '', leaseMs] = process.argv.slice(2)
const say = (line: string) => console.log(line)
const move = {
  organizationId,
  from: await openPostgresMoveDatabase(from, say),
  to: await openPostgresMoveDatabase(to, say),
}
await copyOrganization(move, { leaseMs: Number(leaseMs), onProgress: ({ table }) => say(table) })
await Promise.all([move.from.close(), move.to.close()])
