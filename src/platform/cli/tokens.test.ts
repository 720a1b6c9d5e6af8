import { beforeEach, describe, expect, it } from 'vitest'
import { hashToken } from '../domain/tokens.ts'
import { createTestCli, type TestCli } from '../testing/testCli.ts'

let cli: TestCli
beforeEach(async () => {
  cli = await createTestCli()
})

const create = async () => (await cli.natter('token', 'create', '--organization', cli.organization))[0] ?? ''
const list = async () => (await cli.natter('token', 'list')).map(line => line.split('\t'))
const find = (token: string) => cli.inspectStore(store => store.findOrganizationToken(hashToken(token)))

describe('natter token', () => {
  it('prints a token once, and lists its prefix, last use and state', async () => {
    const { organization } = cli
    const token = await create()
    expect(token).toMatch(/^o_[A-Za-z0-9_-]{43}$/)
    const at = new Date(cli.clock.now()).toISOString()
    expect(await list()).toEqual([[`${token.slice(0, 10)}…`, organization, at, 'never used', 'open']])
    cli.clock.advance(1000)
    const later = new Date(cli.clock.now()).toISOString()
    await cli.inspectStore(store => store.touchOrganizationToken(hashToken(token), later))
    await cli.natter('token', 'revoke', token.slice(0, 10))
    expect(await list()).toEqual([[`${token.slice(0, 10)}…`, organization, at, later, `revoked ${later}`]])
    const forPrograms = (await cli.natter('token', 'list', '--json')).join('')
    expect(forPrograms).not.toContain(token)
    expect(forPrograms).not.toContain(hashToken(token))
    expect(JSON.parse(forPrograms)).toMatchObject({ prefix: token.slice(0, 10), lastUsedAt: later, revokedAt: later })
    expect(await cli.json('token', 'create', '--organization', organization)).toEqual({
      organizationId: organization,
      token: expect.stringMatching(/^o_/),
    })
  })

  it('ends one token of the organization, and says when it was ended already', async () => {
    const [old, other] = [await create(), await create()]
    await cli.natter('token', 'revoke', `${old.slice(0, 10)}…`)
    expect([(await find(other))?.organizationId, (await find(other))?.revokedAt]).toEqual([cli.organization, null])
    expect((await find(old))?.revokedAt).not.toBeNull()
    await expect(cli.natter('token', 'revoke', old.slice(0, 10))).rejects.toThrow(/has been revoked already, at \d/)
  })

  it('reports invalid arguments', async () => {
    const mistakes: [string[], RegExp][] = [
      [['revoke', 'o_short'], /first 10 characters/],
      [['revoke', `o_12345678${'x'.repeat(35)}`], /^Give exactly the first 10 characters[^x]*$/],
      [['revoke', 'o_12345678'], /No token starts with.*token list/],
      [['create', '--organization', 'nobody'], /no organization nobody/],
    ]
    for (const [args, message] of mistakes) await expect(cli.natter('token', ...args)).rejects.toThrow(message)
  })
})
