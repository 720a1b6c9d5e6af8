import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteMoveDatabase } from '../sqlite/moveDatabase.ts'

const organizationId = 'organization'
const leaseMs = 60_000

/** The same file as two runs of the command open it; nothing locks a file that is read. */
function openTwice() {
  const folder = mkdtempSync(join(tmpdir(), 'natter-runs-'))
  const path = join(folder, 'natter.db')
  const [earlier, later] = [openSqliteMoveDatabase(path), openSqliteMoveDatabase(path)]
  onTestFinished(async () => {
    await Promise.all([earlier.close(), later.close()])
    rmSync(folder, { recursive: true })
  })
  return { earlier, later }
}

it('a run that was stopped for long does not go on in the place of a later one, whose rows it has not read', async () => {
  const { earlier, later } = openTwice()
  await earlier.setState(organizationId, 'copying', leaseMs)
  await later.setState(organizationId, 'copying', leaseMs)
  expect(await earlier.renewLease(organizationId, leaseMs)).toBe(false)
  expect(await earlier.endLease(organizationId)).toBe(false)
  expect(await later.endLease(organizationId)).toBe(true)
})

it('a run that fails does not open an organization that another run has closed', async () => {
  const { earlier, later } = openTwice()
  await later.setState(organizationId, 'copying', leaseMs)
  await earlier.removeOwnState(organizationId)
  expect((await later.findHolding(organizationId)).move?.state).toBe('copying')
  await later.removeOwnState(organizationId)
  expect((await later.findHolding(organizationId)).move).toBeUndefined()
})
