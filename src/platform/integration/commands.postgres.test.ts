import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { natter, run } from '../testing/cliProcess.ts'
import { createDatabase } from '../testing/postgresServer.ts'
import { createTemporaryFolder } from '../testing/temporaryFolder.ts'

const folder = createTemporaryFolder()
const server = inject('postgres')

describe('natter and a PostgreSQL', { timeout: 60_000 }, () => {
  it('copies the database of a file, and works with the copy as with the file', async () => {
    const [url, file] = [await createDatabase(server), join(folder, 'natter.db')]
    const organization = await natter('org', 'create', '--name', 'Acme', '--database', file)
    const { stdout, stderr } = await run(['copy', '--from', file, '--to', url])
    expect(stdout).toMatch(/^copied 1 rows to 127\.0\.0\.1:\d+\/test_\w+; the numbers of rows agree$/)
    expect(stderr).toContain('organizations: 1 rows\n')
    expect(await natter('org', 'list', '--database', url)).toBe(`${organization}\tAcme`)
    expect(await natter('migrate', '--database', url)).toMatch(/\/test_\w+ is of this version$/)
  })

  it('reports unsupported commands, and shows no password', async () => {
    const url = 'postgres://natter:geheim@127.0.0.1:1/natter'
    const outcomes = [
      await run(['backup', join(folder, 'copy.db'), '--database', url]),
      await run(['serve', '--database', `${url}?poler=transaction&password=geheim`]),
      await run(['org', 'list', '--database', url]),
      await run(['copy', '--from', join(folder, 'none.db'), '--to', url]),
      await run(['org', 'list', '--database', url.replace('postgres', 'mysql')]),
      await run(['backup', url, '--database', join(folder, 'none.db')]),
    ]
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 1, 2, 2, 2])
    const stderrs = outcomes.map(({ stderr }) => stderr)
    expect(stderrs).toEqual([
      expect.stringContaining('pg_dump'),
      expect.stringContaining('must have no parameter "poler" (known: pooler, connections, '),
      expect.stringContaining('Cannot open the database 127.0.0.1:1/natter'),
      expect.stringContaining('name another one with --from'),
      expect.stringContaining('must be the path of a file, or postgres://'),
      expect.stringContaining('pg_dump'),
    ])
    expect(stderrs.join()).not.toContain('geheim')
  })
})
