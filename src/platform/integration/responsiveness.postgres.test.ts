import { describeResponsiveness } from '../testing/responsivenessSuite.ts'
import { createPostgresDatabase } from '../testing/testDatabases.ts'

describeResponsiveness('a platform on PostgreSQL', async () => (await createPostgresDatabase()).openStore())
