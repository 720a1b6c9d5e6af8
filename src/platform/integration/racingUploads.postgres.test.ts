import { inject } from 'vitest'
import { openPostgresFiles } from '../testing/files/openFiles.ts'
import { describeRacingUploads } from '../testing/racingUploadsSuite.ts'

describeRacingUploads('uploads that race, on PostgreSQL', () => openPostgresFiles(inject('postgres')))
