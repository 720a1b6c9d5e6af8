import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteSide } from './sqliteSide.ts'

const [organizationId, leaseMs] = ['organization', 60_000]

/** The same file as two runs of the command open it; nothing locks a file that is read. */
function openTwice() {
  const folder = mkdtempSync(join(tmpdir(), 'natter-runs-'))
  const path = join(folder, 'natter.db')
  const [earlier, later] = [openSqliteSide(path), openSqliteSide(path)]
  onTestFinished(async () => {
    await Promise.all([earlier.close(), later.close()])
    rmSync(folder, { recursive: true })
  })
  return { earlier, later }
}

it('a run that was stopped for long does not go on in the place of a later one, whose rows it has not read', async () => {
  const { earlier, later } = openTwice()
  await earlier.begin(organizationId, 'copying', leaseMs)
  await later.begin(organizationId, 'copying', leaseMs)
  expect(await earlier.advance(organizationId, 'copying', 'copied')).toBe(false)
  expect(await later.advance(organizationId, 'copying', 'copied')).toBe(true)
})

it('a run that fails does not open an organization that another run has closed', async () => {
  const { earlier, later } = openTwice()
  await later.begin(organizationId, 'copying', leaseMs)
  await earlier.cancel(organizationId)
  expect((await later.findMove(organizationId))?.state).toBe('copying')
  await later.cancel(organizationId)
  expect(await later.findMove(organizationId)).toBeUndefined()
})
