import { describeAttachments } from '../testing/attachmentsSuite.ts'
import { openSqliteFiles } from '../testing/files/openFiles.ts'

describeAttachments('files', openSqliteFiles)
