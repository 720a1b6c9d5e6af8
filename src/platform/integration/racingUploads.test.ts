import { describeRacingUploads } from '../testing/racingUploadsSuite.ts'
import { createSqliteDatabase } from '../testing/testDatabases.ts'

await describeRacingUploads('uploads that race, on SQLite', createSqliteDatabase)
