import { describe } from 'vitest'
import { describeListing, maxCounted } from '../../testing/store/listingSuite.ts'
import { describeSearch } from '../../testing/store/searchSuite.ts'
import { createSqliteStore } from './sqliteStore.ts'

// Bots as small as those of tests are read as a whole; these are searched as the largest are.
for (const indexed of [1000, 2])
  describe(`createSqliteStore that looks up to ${indexed} contacts up`, () => {
    const open = () =>
      createSqliteStore({
        file: ':memory:',
        timeoutMs: 30_000,
        searchLimits: { scanned: 0, indexed, step: 4, maxCounted },
      })
    describeSearch(open)
    describeListing(open)
  })
