import type { TestProject } from 'vitest/node'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { execute, startPostgres, template } from './postgresServer.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL that runs during the tests. */
    postgres: string
  }
}

/** One PostgreSQL for all test files of the project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, remove } = await startPostgres()
  await execute(url, `CREATE DATABASE ${template}`)
  const store = await createPostgresStore({ url: Object.assign(new URL(url), { pathname: template }).href })
  await store.close()
  project.provide('postgres', url)
  return remove
}
