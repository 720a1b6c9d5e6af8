import { openSqliteFiles } from '../testing/files/openFiles.ts'
import { describeRacingUploads } from '../testing/racingUploadsSuite.ts'

describeRacingUploads('uploads that race, on SQLite', openSqliteFiles)
