import { describe, expect, it } from 'vitest'
import { type Command, parseCommand } from './command.ts'
import { topics } from './commands.ts'
import { helpText, usageOf } from './help.ts'
import type { Environment } from './option.ts'
import { UsageError } from './usageError.ts'

const parse = (line: string, environment: Environment = {}) =>
  parseCommand(topics, line.split(' ').filter(Boolean), environment)
const topicNames = topics.map(({ name }) => name)
const commands: Command[] = topics.flatMap(({ commands }) => commands)

describe('readWords', () => {
  it('parses the command, its argument and its options', () => {
    expect(parse('token revoke o_12345678 --database a.db')).toMatchObject({
      command: { name: 'token revoke' },
      call: { argument: 'o_12345678', values: { database: 'a.db' } },
    })
    expect(parse('org list', { NATTER_DATABASE: 'b.db' })).toMatchObject({ call: { values: { database: 'b.db' } } })
  })

  it('says what is wrong and how to fix it', () => {
    const mistakes: [string, RegExp][] = [
      ['fly', /no command "fly".*--help/],
      ['serve --port x', /--port \(NATTER_PORT\) must be/],
      ['serve --bogus', /"natter serve" has no --bogus\. .*serve --help/],
      ['serve -p 80', /"natter serve" has no -p/],
      ['serve --databse x', /"natter serve" has no --databse, but --database/],
      ['serve --port', /"natter serve" needs PORT after --port\. .*serve --help/],
      ['serve --host --dev', /needs HOST after --host/],
      ['serve --json=yes', /takes no value after --json/],
      ['bot create --turns-per-day -1', /--turns-per-day must be a whole number.*, not "-1"/],
      ['org create --name a --name b', /"natter org create" takes --name only once/],
      ['serve extra', /extra.*serve --help/],
      ['org', /create, list.*org --help/],
      ['org --json', /create, list.*org --help/],
      ['org revoke', /"natter org" can create, list, not "revoke"/],
      ['org create', /needs --name/],
      ['org list --database :memory:', /--database \(NATTER_DATABASE\).*in memory/],
      ['bot create --name x', /needs --organization/],
      ['bot update', /needs BOT/],
      ['bot create --organization o --name x --origin https://shop.example/', /--origin must/],
      ['bot secret b', /needs --rotate/],
      ['token create', /needs --organization/],
      ['token revoke', /needs PREFIX/],
      ['token revoke a b', /"b"/],
      ['contact erase c', /needs --bot/],
      ['backup', /needs FILE/],
    ]
    for (const [line, message] of mistakes) {
      expect(() => parse(line), line).toThrow(UsageError)
      expect(() => parse(line), line).toThrow(message)
    }
  })

  it('shows help wherever it is requested', () => {
    for (const line of ['', 'help', '--help', '-h', 'help nobody']) expect(parse(line)).toEqual({ help: null })
    for (const line of ['serve --help', 'serve -h --port x', 'help serve'])
      expect(parse(line)).toMatchObject({ help: { name: 'serve' } })
    for (const line of ['bot --help', 'bot fly --help', 'help bot'])
      expect(parse(line)).toEqual({ help: topics.find(({ name }) => name === 'bot') })
    for (const line of ['bot create --help', 'bot create --name x -h', 'help bot create'])
      expect(parse(line)).toMatchObject({ help: { name: 'bot', commands: [{ name: 'bot create' }] } })
    expect(parse('--version')).toEqual({ version: true })
  })
})

describe('helpText', () => {
  it('lists every topic, command and option, in lines that fit a terminal', () => {
    for (const name of topicNames) expect(helpText(topics, null)).toContain(`natter ${name} `)
    for (const topic of topics) {
      const text = helpText(topics, topic)
      for (const command of topic.commands) {
        expect(text).toContain(usageOf(command))
        const page = helpText(topics, { ...topic, commands: [command] })
        for (const [name, option] of Object.entries(command.options))
          expect(page).toContain('secret' in option ? 'NATTER_OPENAI_API_KEY' : `--${name}`)
        for (const line of [...text.split('\n'), ...page.split('\n')]) expect(line.length).toBeLessThanOrEqual(120)
      }
    }
  })

  it('shows which options are required', () => {
    const usages = commands.map(usageOf)
    expect(usages).toContain('natter bot create --organization ID --name NAME [options]')
    expect(usages).toContain('natter token revoke PREFIX [options]')
  })
})
