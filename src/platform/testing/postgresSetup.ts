import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgresServer.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL that runs during the tests. */
    postgres: string
  }
}

/** One PostgreSQL for all test files of the project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, remove } = await startPostgres()
  project.provide('postgres', url)
  return remove
}
