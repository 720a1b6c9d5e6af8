import { describeFileTransfers } from '../testing/fileTransfersSuite.ts'
import { createPostgresDatabase } from '../testing/testDatabases.ts'

await describeFileTransfers('files on their way, on PostgreSQL', createPostgresDatabase)
