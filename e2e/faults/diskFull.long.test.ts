import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { TestProcess } from '../../src/testProcess.ts'
import { report } from '../../src/testScale.ts'
import { createDeployment, type Deployment } from './deployment.ts'

/** A folder whose disk space can be used up and freed. */
interface Disk {
  folder: string
  fill(server: TestProcess): void
  makeRoom(server: TestProcess): void
  remove(): void
}

const mebibyte = 2 ** 20

/** A small file system. Mounting it requires root. */
function smallFileSystem(): Disk | null {
  const folder = mkdtempSync(join(tmpdir(), 'natter-small-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return null
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => writeFileSync(filler, Buffer.alloc(8 * mebibyte)),
    makeRoom: () => rmSync(filler),
    remove() {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true })
    },
  }
}

/** Limits the file size of the process: Linux then refuses a write as on a full disk. */
function smallFiles(): Disk | null {
  const limit = (pid: number, bytes: number | string): unknown =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`], { stdio: 'ignore' })
  try {
    limit(process.pid, 'unlimited')
  } catch {
    return null
  }
  const folder = mkdtempSync(join(tmpdir(), 'natter-small-'))
  return {
    folder,
    fill: ({ pid }) => void limit(pid, 1.5 * mebibyte),
    makeRoom: ({ pid }) => void limit(pid, 'unlimited'),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

const batch = (from: number) => ({
  data: Array.from({ length: 200 }, (_, index) => ({
    name: `Contact ${from + index}`,
    email: `c${from + index}@example.com`,
  })),
})
const total = async ({ call }: Deployment, query = ''): Promise<number> => {
  const { pagination } = (await (await call('POST', `/contacts?query=${query}`)).json()) as {
    pagination: { total: number }
  }
  return pagination.total
}

describe.each([
  ['a small file system', smallFileSystem],
  ['a limit on the size of files', smallFiles],
])('a full disk (%s)', (_, create) => {
  it('is reported as 503, reads keep working, no data is damaged, and writes work again once there is space', async context => {
    const disk = create()
    if (!disk) return context.skip('This machine does not allow it.')
    onTestFinished(disk.remove)
    const deployment = await createDeployment({ folder: disk.folder })
    onTestFinished(deployment.remove)
    const server = await deployment.serve()
    const { call } = deployment
    const created = await call('PUT', '/contacts', { json: { name: 'Ada', email: 'ada@example.com' } })
    const { id } = ((await created.json()) as { data: { id: string } }).data
    disk.fill(server)

    let acknowledged = 0
    let refusal: Response | undefined
    while (!refusal && acknowledged < 200_000) {
      const response = await call('PATCH', '/contacts', { json: batch(acknowledged) })
      if (response.ok) acknowledged += 200
      else refusal = response
    }
    expect(refusal?.status).toBe(503)
    expect(Number(refusal?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refusal?.json()).toMatchObject({ code: 'unavailable' })

    // SQLite decides whether a small write still fits. It must either succeed or be refused with 503.
    const attempts = Array.from({ length: 30 }, (_, index) => [
      call('PATCH', `/contacts/${id}`, { json: { name: `Ada ${index}` } }),
      call('PUT', '/auth/contacts', { json: { id } }),
      call('POST', '/widget/sessions', { token: '' }),
    ]).flat()
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.filter(status => ![200, 201, 503].includes(status))).toEqual([])
    expect((await call('PATCH', '/contacts', { json: batch(1_000_000) })).status).toBe(503)
    expect((await call('GET', `/contacts/${id}`)).status).toBe(200)
    expect(await total(deployment)).toBe(acknowledged + 1)
    expect((await fetch(new URL('/readyz', deployment.api))).status).toBe(200)
    const metrics = await (await fetch(new URL('/metrics', deployment.api))).text()
    expect(metrics).toMatch(/natter_store_call_duration_seconds_count\{method="\w+",outcome="unavailable"\} [1-9]/)
    expect(deployment.output()).toMatch(/"reason":"[^"]+","msg":"failed"/)
    expect(deployment.output()).not.toContain('"stack"')

    disk.makeRoom(server)
    expect((await call('PATCH', '/contacts', { json: batch(acknowledged) })).status).toBe(200)
    expect((await call('PATCH', `/contacts/${id}`, { json: { name: 'Countess' } })).status).toBe(200)
    expect(await total(deployment)).toBe(acknowledged + 201)
    expect(await (await call('GET', `/contacts/${id}`)).json()).toMatchObject({ data: { name: 'Countess' } })
    expect([await total(deployment, 'countess'), await total(deployment, `c${acknowledged + 7}@`)]).toEqual([1, 1])
    await server.stop()
    expect(readIntegrity(deployment.database)).toEqual(['ok', acknowledged + 201])
    report(
      `${acknowledged} contacts until the disk was full, ${statuses.filter(status => status === 503).length} of 90 small writes refused`,
    )
  })
})

function readIntegrity(database: string): unknown[] {
  const db = new DatabaseSync(database)
  const integrity = db.prepare('PRAGMA integrity_check').get()?.['integrity_check']
  const contacts = db.prepare('SELECT count(*) AS count FROM contacts').get()?.['count']
  db.close()
  return [integrity, contacts]
}
