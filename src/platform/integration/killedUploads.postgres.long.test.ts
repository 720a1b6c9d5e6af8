import { describeKilledUploads } from '../testing/killedUploadsSuite.ts'
import { createPostgresDatabase } from '../testing/testDatabases.ts'

describeKilledUploads('a server that is killed, on PostgreSQL', createPostgresDatabase)
