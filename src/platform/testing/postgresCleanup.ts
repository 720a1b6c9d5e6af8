import { afterAll, inject } from 'vitest'
import { dropDatabases } from './postgresServer.ts'

// After each test file.
afterAll(() => dropDatabases(inject('postgres')))
