import { describeFileMemory } from '../testing/fileMemorySuite.ts'
import { createPostgresDatabase } from '../testing/testDatabases.ts'

await describeFileMemory(createPostgresDatabase)
