import { describeFileTransfers } from '../testing/fileTransfersSuite.ts'
import { createSqliteDatabase } from '../testing/testDatabases.ts'

await describeFileTransfers('files on their way', createSqliteDatabase)
