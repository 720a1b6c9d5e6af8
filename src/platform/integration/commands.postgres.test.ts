import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { natter, run } from '../testing/cliProcess.ts'
import { createDatabase } from '../testing/postgresServer.ts'
import { createTemporaryFolder } from '../testing/temporaryFolder.ts'

const folder = createTemporaryFolder()
const server = inject('postgres')

describe('natter and a PostgreSQL', () => {
  it('copies the database of a file, and works with the copy as with the file', async () => {
    const [url, file] = [await createDatabase(server), join(folder, 'natter.db')]
    const organization = await natter('org', 'create', '--name', 'Acme', '--database', file)
    const { stdout, stderr } = await run(['copy', '--from', file, '--to', url])
    expect(stdout).toMatch(/^copied 1 rows to 127\.0\.0\.1:\d+\/test_\w+; the numbers of rows agree$/)
    expect(stderr).toContain('organizations: 1 rows\n')
    expect(await natter('org', 'list', '--database', url)).toBe(`${organization}\tAcme`)
    expect(await natter('migrate', '--database', url)).toMatch(/\/test_\w+ is of this version$/)
  })

  const url = 'postgres://natter:geheim@127.0.0.1:1/natter'
  it.each([
    [2, 'pg_dump', ['backup', join(folder, 'copy.db'), '--database', url]],
    [2, 'pg_dump', ['backup', url, '--database', join(folder, 'none.db')]],
    [
      2,
      'no parameter "poler" (known: pooler, connections, ',
      ['serve', '--database', `${url}?poler=x&password=geheim`],
    ],
    [1, 'Cannot open the database 127.0.0.1:1/natter', ['org', 'list', '--database', url]],
    [2, 'name another one with --from', ['copy', '--from', join(folder, 'none.db'), '--to', url]],
    [2, 'must be the path of a file, or postgres://', ['org', 'list', '--database', url.replace('postgres', 'mysql')]],
  ])('exits with %i and "%s" if it cannot do %j, and shows no password', async (code, message, args) => {
    const outcome = await run(args)
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(message)])
    expect(outcome.stderr).not.toContain('geheim')
  })
})
