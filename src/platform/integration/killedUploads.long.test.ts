import { describeKilledUploads } from '../testing/killedUploadsSuite.ts'
import { createSqliteDatabase } from '../testing/testDatabases.ts'

describeKilledUploads('a server that is killed', createSqliteDatabase)
