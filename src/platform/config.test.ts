import { describe, expect, it } from 'vitest'
import { parseCommand, UsageError } from './config.ts'
import { helpText } from './help.ts'

const parse = (line: string) => parseCommand(line.split(' ').filter(Boolean))

describe('parseCommand', () => {
  it('knows what serve does by default, and takes all it is told', () => {
    expect(parse('serve')).toEqual({
      name: 'serve',
      host: '127.0.0.1',
      port: 8787,
      database: 'natter.db',
      dev: false,
      json: false,
    })
    expect(parse('serve --host 0.0.0.0 --port 0 --database :memory: --content faq --dev --json')).toEqual({
      name: 'serve',
      host: '0.0.0.0',
      port: 0,
      database: ':memory:',
      content: 'faq',
      dev: true,
      json: true,
    })
  })

  it('reads a bot with several origins and quick replies', () => {
    const words = [
      'bot',
      'create',
      '--organization',
      'o',
      '--name',
      ' Shop ',
      '--greeting',
      'Hi\\nthere',
      '--accent',
      '#3b5bdb',
    ]
    const origins = ['https://shop.example', 'http://localhost:*', '*', 'null', 'https://shop.example:8443']
    const more = origins.flatMap(origin => ['--origin', origin])
    expect(parseCommand([...words, ...more, '--quick-reply', 'One', '--quick-reply', 'Two'])).toMatchObject({
      bot: { name: 'Shop', greeting: 'Hi\nthere', accent: '#3b5bdb', origins, quickReplies: ['One', 'Two'] },
    })
  })

  it('says what is wrong and what to do', () => {
    const mistakes: [string, RegExp][] = [
      ['fly', /no command "fly".*--help/],
      ['serve --port 70000', /--port takes/],
      ['serve --port x', /--port takes/],
      ['serve --bogus', /--bogus[\s\S]*serve --help/],
      ['serve extra', /extra[\s\S]*serve --help/],
      ['org', /create, list/],
      ['org revoke', /"natter org" can create, list, not "revoke"/],
      ['org create', /--name/],
      ['bot create --name x', /--organization/],
      ['bot create --organization o --name x --origin https://shop.example/', /--origin takes/],
      ['bot create --organization o --name x --origin shop.example', /--origin takes/],
      ['bot create --organization o --name x --accent red', /--accent takes/],
      ['token create', /--organization/],
      ['token revoke', /first characters/],
    ]
    for (const [line, message] of mistakes) {
      expect(() => parse(line)).toThrow(UsageError)
      expect(() => parse(line)).toThrow(message)
    }
  })

  it('helps wherever it is asked to', () => {
    for (const line of ['', 'help', '--help', '-h']) expect(parse(line)).toEqual({ name: 'help' })
    for (const line of ['serve --help', 'serve -h --port x', 'help serve'])
      expect(parse(line)).toEqual({ name: 'help', topic: 'serve' })
    for (const option of ['--host', '--port', '--database', '--content', '--dev', '--json'])
      expect(helpText('serve')).toContain(option)
    for (const option of ['--greeting', '--quick-reply', '--accent', '--origin', '--name'])
      expect(helpText('bot')).toContain(option)
  })
})
