import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTestCli, type TestCli } from '../testing/testCli.ts'

let cli: TestCli
let id: string
beforeEach(async () => {
  cli = createTestCli()
  const [organization = ''] = await cli.natter('org', 'create', '--name', 'Acme')
  const webhook = ['--responder', 'webhook', '--webhook-url', 'https://a.example/']
  const bot = ['bot', 'create', '--organization', organization, '--name', 'Shop', ...webhook]
  id = String((await cli.json(...bot))['id'])
})
afterEach(() => cli.remove())

const stored = () => cli.inspectStore(store => store.findBot(id))

it('keeps the changes of both commands that set different limits of a bot at once', async () => {
  await Promise.all([
    cli.natter('bot', 'update', id, '--turns-per-day', '5'),
    cli.natter('bot', 'update', id, '--turns-per-minute', '6'),
  ])
  expect((await stored())?.limits).toEqual({ turnsPerDay: 5, turnsPerMinute: 6 })
})

it('keeps a new secret when another command changes the address of the webhook at once', async () => {
  const [[secret]] = await Promise.all([
    cli.natter('bot', 'secret', id, '--rotate', 'webhook'),
    cli.natter('bot', 'update', id, '--webhook-url', 'https://b.example/'),
  ])
  expect((await stored())?.responder).toMatchObject({ url: 'https://b.example/', secret })
})

it('lets both secrets sign that two commands create at once', async () => {
  const rotate = () => cli.natter('bot', 'secret', id, '--rotate', 'webhook')
  const printed = (await Promise.all([rotate(), rotate()])).flat()
  const responder = (await stored())?.responder
  const signing = responder?.kind === 'webhook' ? [responder.secret, responder.former?.secret] : []
  expect(signing.toSorted()).toEqual(printed.toSorted())
})
