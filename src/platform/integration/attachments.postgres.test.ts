import { inject } from 'vitest'
import { describeAttachments } from '../testing/attachmentsSuite.ts'
import { openPostgresFiles } from '../testing/files/openFiles.ts'

describeAttachments('files, on PostgreSQL', () => openPostgresFiles(inject('postgres')))
