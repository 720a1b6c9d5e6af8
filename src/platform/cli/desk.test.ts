import { beforeEach, describe, expect, it } from 'vitest'
import { hashToken } from '../domain/tokens.ts'
import { joinDesk } from '../testing/store/storeTenants.ts'
import { createTestCli, type TestCli } from '../testing/testCli.ts'

let cli: TestCli
beforeEach(async () => {
  cli = await createTestCli()
})

const base = ['--base-url', 'https://chat.example.com']

describe('natter desk', () => {
  it('invites, with a link that works for a day', async () => {
    const [url = ''] = await cli.natter('desk', 'invite', 'ada@shop.example', '--admin', ...base)
    const [link, token = ''] = url.split('#')
    expect(link).toBe('https://chat.example.com/desk/invite')
    const now = new Date(cli.clock.now()).toISOString()
    expect(await cli.inspectStore(store => store.findInvitation(hashToken(token), now))).toMatchObject({
      ...{ organizationId: cli.organization, email: 'ada@shop.example', role: 'admin', botIds: null },
      expiresAt: new Date(cli.clock.now() + 24 * 60 * 60_000).toISOString(),
    })
  })

  it('says that the address in the link is an example', async () => {
    await cli.natter('desk', 'invite', 'ada@shop.example')
    expect(cli.stderr.join('')).toContain('NATTER_BASE_URL')
  })

  it('invites to bots of the organization only', async () => {
    const [bot = ''] = await cli.natter('bot', 'create', '--organization', cli.organization, '--name', 'Nat')
    expect(await cli.json('desk', 'invite', 'ada@shop.example', '--bot', bot, ...base)).toMatchObject({ role: 'agent' })
    await expect(cli.natter('desk', 'invite', 'ada@shop.example', '--bot', 'x', ...base)).rejects.toThrow(
      'Must be ids of bots of your organization',
    )
    await expect(cli.natter('desk', 'invite', 'ada', ...base)).rejects.toThrow('Must be an email address')
  })

  it('asks for the organization if there are several', async () => {
    await cli.natter('org', 'create', '--name', 'Other')
    await expect(cli.natter('desk', 'invite', 'ada@shop.example')).rejects.toThrow('--organization')
    await cli.natter('desk', 'invite', 'ada@shop.example', '--organization', cli.organization)
  })

  it('prints a link for a new password', async () => {
    const { email } = await cli.inspectStore(store => joinDesk(store, cli.organization, { role: 'admin' }))
    const [url = ''] = await cli.natter('desk', 'password', email.toUpperCase(), ...base)
    const now = new Date(cli.clock.now()).toISOString()
    const found = await cli.inspectStore(store => store.findInvitation(hashToken(url.split('#')[1] ?? ''), now))
    expect(found).toMatchObject({ email, name: 'Nora', role: 'admin', organizationId: cli.organization })
    await expect(cli.natter('desk', 'password', 'ada@shop.example')).rejects.toThrow('Nobody at the desk has the email')
  })

  it('lists and removes', async () => {
    const { email, session } = await cli.inspectStore(store => joinDesk(store, cli.organization, { role: 'admin' }))
    expect(await cli.natter('desk', 'list')).toEqual([`${email}\tNora\tadmin\t${cli.organization}\tall bots`])
    expect(await cli.natter('desk', 'remove', email.toUpperCase())).toEqual([`removed ${email}`])
    expect(await cli.natter('desk', 'list')).toEqual([])
    const audit = await cli.inspectStore(store => store.listAudit(cli.organization, { limit: 1 }))
    expect(audit).toMatchObject([{ event: 'member_removed', member: null, about: 'Nora' }])
    expect(await cli.inspectStore(store => store.findMemberSession(session.hash, session.createdAt))).toBeNull()
    await expect(cli.natter('desk', 'remove', email)).rejects.toThrow('Nobody at the desk has the email')
  })
})
