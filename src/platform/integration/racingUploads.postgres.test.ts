import { describeRacingUploads } from '../testing/racingUploadsSuite.ts'
import { createPostgresDatabase } from '../testing/testDatabases.ts'

await describeRacingUploads('uploads that race, on PostgreSQL', createPostgresDatabase)
