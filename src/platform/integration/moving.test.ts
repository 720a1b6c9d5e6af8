import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { topics } from '../cli/commands.ts'
import { parseCommand } from '../cli/parseCommand.ts'
import { createTestTenants } from '../testing/testTenants.ts'

it('answers writes of an organization that is moved with 503 and Retry-After, and others as always', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
  const [from, to] = [join(folder, 'old.db'), join(folder, 'new.db')]
  const tenants = await createTestTenants({ file: from })
  onTestFinished(async () => {
    await tenants.close()
    rmSync(folder, { recursive: true })
  })
  const { ours, otherOrganization, clock } = tenants
  const contact = await ours.createContact()
  const create = (bot: typeof ours) =>
    bot.call('PUT', '/contacts', { json: { name: 'Ada', email: `${crypto.randomUUID()}@example.com` } })
  const during: Promise<[Response, Response, Response]>[] = []
  const lines: string[] = []
  async function natter(...words: string[]): Promise<void> {
    const move = ['--organization', ours.bot.organizationId, '--from', from, '--to', to]
    const parsed = parseCommand(topics, ['copy', ...move, ...words], {})
    if (!('command' in parsed)) throw new Error(parsed.text)
    const printLine = (line: string) => void lines.push(line)
    const stderr = () =>
      void during.push(
        Promise.all([create(ours), create(otherOrganization), ours.call('GET', `/contacts/${contact.id}`)]),
      )
    await parsed.command.run({ ...parsed.call, clock, printLine, stderr })
  }

  await natter()
  expect(during.length).toBeGreaterThan(0)
  for (const [own, other, read] of await Promise.all(during)) {
    expect([own.status, own.headers.get('retry-after')]).toEqual([503, '10'])
    expect(await own.json()).toMatchObject({ code: 'organization_moving' })
    expect([other.status, read.status]).toEqual([201, 200])
  }
  expect((await create(ours)).status).toBe(503)
  await natter('--abandon')
  expect((await create(ours)).status).toBe(201)
  await natter()
  await natter('--finish')
  expect((await ours.call('GET', `/contacts/${contact.id}`)).status).toBe(401)
  expect(lines.at(-1)).toContain(`${to} takes writes of it`)
})

it('refuses to move an organization to the database that it is in, by whatever name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
  const [file, link] = [join(folder, 'natter.db'), join(folder, 'link.db')]
  symlinkSync(file, link)
  const tenants = await createTestTenants({ file })
  onTestFinished(async () => {
    await tenants.close()
    rmSync(folder, { recursive: true })
  })
  const { ours, clock } = tenants
  const words = ['copy', '--organization', ours.bot.organizationId, '--from', file, '--to', link]
  const parsed = parseCommand(topics, words, {})
  if (!('command' in parsed)) throw new Error(parsed.text)
  const silent = () => {}
  await expect(parsed.command.run({ ...parsed.call, clock, printLine: silent, stderr: silent })).rejects.toThrow(
    '--from and --to are the same database',
  )
})
