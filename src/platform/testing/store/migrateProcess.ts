import { migrate } from '../../store/postgres/migrate.ts'
import { nextVersion } from './migrations.ts'

/** Migrates the database of the argument to the next version, in a process that a test can kill. */
const [url = ''] = process.argv.slice(2)
await migrate({ url, migrations: nextVersion, onProgress: line => console.log(line) })
