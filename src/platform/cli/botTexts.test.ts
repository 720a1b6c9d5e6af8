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

describe('the texts of a bot', () => {
  it('are replaced one by one, and a replacement is taken away without touching the others', async () => {
    const textsOf = async (id: string) => (await cli.inspectStore(store => store.findBot(id)))?.texts
    const id = await create('--text', 'unknown=I don’t know = no idea.\\nSorry!', '--text', 'hello=Hi, {name}!')
    expect(await textsOf(id)).toEqual({ unknown: 'I don’t know = no idea.\nSorry!', hello: 'Hi, {name}!' })
    const rows = async () => (await cli.natter('bot', 'show', id)).filter(line => line.startsWith('text\t'))
    expect(await rows()).toEqual(['text\tunknown=I don’t know = no idea.\\nSorry!', 'text\thello=Hi, {name}!'])
    await cli.natter('bot', 'update', id, '--text', 'unknown=none', '--text', 'person=Ask Ada')
    expect(await textsOf(id)).toEqual({ hello: 'Hi, {name}!', person: 'Ask Ada' })
    expect((await cli.json('bot', 'show', id))['texts']).toEqual({ hello: 'Hi, {name}!', person: 'Ask Ada' })
    await cli.natter('bot', 'update', id, '--text', 'hello=none', '--text', 'person=none')
    expect(await rows()).toEqual(['text\tnone'])
  })

  it('are not changed by a mistake', async () => {
    const id = await create('--text', 'unknown=No idea.')
    const mistakes: [string[], RegExp][] = [
      [
        ['--text', 'unkown=x'],
        /--text must be KEY=TEXT, and KEY one of hello, .*unknown, .*noMoreToday, not "unkown=x"/,
      ],
      [['--text', 'greeting=x'], /--text must be KEY=TEXT/],
      [['--text', 'No idea.'], /--text must be KEY=TEXT/],
      [['--text', 'unknown='], /--text must not be empty/],
      [['--text', `unknown=${'x'.repeat(1001)}`], /--text must have at most 1000 characters/],
      [['--text', `person=${'x'.repeat(81)}`], /--text must have at most 80 characters/],
      [['--text', 'hello=Hi!'], /--text must contain {name} in the text of hello/],
    ]
    for (const [args, message] of mistakes)
      await expect(cli.natter('bot', 'update', id, ...args), args.join(' ')).rejects.toThrow(message)
    expect((await cli.json('bot', 'show', id))['texts']).toEqual({ unknown: 'No idea.' })
  })
})
