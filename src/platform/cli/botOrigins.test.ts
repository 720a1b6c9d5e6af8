import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestCli, type TestCli } from '../testing/testCli.ts'

let cli: TestCli
let organization: string
beforeEach(async () => {
  cli = createTestCli()
  organization = (await cli.natter('org', 'create', '--name', 'Acme'))[0] ?? ''
})
afterEach(() => cli.remove())

const create = async (...args: string[]) =>
  (await cli.natter('bot', 'create', '--organization', organization, '--name', 'Shop', ...args))[0] ?? ''
const originsOf = async (id: string) => (await cli.json('bot', 'show', id))['origins']

describe('the origins of a bot', () => {
  it('are added and removed one by one, and the others stay', async () => {
    const id = await create('--origin', 'https://a.example')
    await cli.natter('bot', 'update', id, '--add-origin', 'https://b.example', '--add-origin', 'https://c.example')
    await cli.natter('bot', 'update', id, '--add-origin', 'https://b.example', '--remove-origin', 'https://a.example')
    expect(await originsOf(id)).toEqual(['https://b.example', 'https://c.example'])
  })

  it('are stored as browsers send them, those of apps too', async () => {
    const written = ['https://Shop.Example:443/', 'https://*.bücher.example:*/', 'capacitor://localhost']
    const id = await create(...written.flatMap(origin => ['--origin', origin]))
    expect(await originsOf(id)).toEqual([
      'https://shop.example',
      'https://*.xn--bcher-kva.example:*',
      'capacitor://localhost',
    ])
    await cli.natter('bot', 'update', id, '--remove-origin', 'https://shop.example/')
    expect(await originsOf(id)).toHaveLength(2)
  })

  it('are not changed by a mistake', async () => {
    const id = await create('--origin', 'https://a.example')
    const mistakes: [string[], RegExp][] = [
      [['--remove-origin', 'https://b.example'], /not have the origin https:\/\/b\.example.*has: https:\/\/a\.example/],
      [['--add-origin', 'none'], /--add-origin must be scheme/],
      [
        ['--add-origin', 'https://b.example', '--origin', 'https://c.example'],
        /'--origin <ORIGIN>' cannot be used with option '--add-origin <ORIGIN>'/,
      ],
    ]
    for (const [args, message] of mistakes)
      await expect(cli.natter('bot', 'update', id, ...args)).rejects.toThrow(message)
    expect(await originsOf(id)).toEqual(['https://a.example'])
  })
})

describe('the script tag', () => {
  it('is printed with the accent of the bot, beside the id that scripts read', async () => {
    cli.environment['NATTER_BASE_URL'] = 'https://talk.example/'
    const id = await create('--accent', '#3b5bdb')
    const tag = `<script src="https://talk.example/natter.js" data-bot-id="${id}" data-accent="#3b5bdb" async></script>`
    expect(cli.stderr.join('')).toContain(tag)
    expect(await cli.natter('bot', 'show', id)).toContain(`script-tag\t${tag}`)
    expect((await cli.json('bot', 'show', id, '--base-url', 'http://127.0.0.1:8787'))['scriptTag']).toBe(
      tag.replace('https://talk.example', 'http://127.0.0.1:8787'),
    )
  })
})

it('says that emails are shared when an organization gets a second bot', async () => {
  await create()
  expect(cli.stderr.join('')).not.toContain('emails')
  await create()
  expect(cli.stderr.join('')).toContain('the bots of an organization share the emails of its contacts')
})
