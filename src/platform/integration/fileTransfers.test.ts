import { openSqliteFiles } from '../testing/files/openFiles.ts'
import { describeFileTransfers } from '../testing/fileTransfersSuite.ts'

describeFileTransfers('files on their way', openSqliteFiles)
