import { inject } from 'vitest'
import { openPostgresFiles } from '../testing/files/openFiles.ts'
import { describeFileTransfers } from '../testing/fileTransfersSuite.ts'

describeFileTransfers('files on their way, on PostgreSQL', () => openPostgresFiles(inject('postgres')))
