import { describe, expect, it } from 'vitest'
import { withEnvironment } from '../testing/withEnvironment.ts'
import { UsageError } from './command.ts'
import { commands, topics } from './commands.ts'
import { isVariableOnly } from './option.ts'
import { parseCommand } from './program.ts'

const parseWords = (words: string[], environment = {}) =>
  withEnvironment(environment, () => parseCommand(topics, words))
const parse = (line: string, environment = {}) => parseWords(line.split(' ').filter(Boolean), environment)
/** The text that the arguments ask for. */
const textOf = (line: string) => {
  const parsed = parse(line)
  if ('text' in parsed) return parsed.text
  throw new Error(`"${line}" asks for no text`)
}
const topicNames = topics.map(({ name }) => name)

describe('parseCommand', () => {
  it('finds the command, its argument and its options', () => {
    expect(parse('token revoke o_12345678 --database a.db')).toMatchObject({
      command: { name: 'token revoke' },
      call: { argument: 'o_12345678', values: { database: 'a.db' } },
    })
    expect(parse('org list', { NATTER_DATABASE: 'b.db' })).toMatchObject({ call: { values: { database: 'b.db' } } })
  })

  it('says what is wrong and how to fix it', () => {
    const mistakes: [string, RegExp][] = [
      ['fly', /unknown command 'fly'.*natter --help/],
      ['serve --port x', /--port \(NATTER_PORT\) must be/],
      ['serve --bogus', /"natter serve" .*unknown option '--bogus'.*serve --help/],
      ['serve -p 80', /"natter serve" .*unknown option '-p'/],
      ['serve --databse x', /"natter serve" .*'--databse' \(Did you mean --database\?\)/],
      ['serve --port', /"natter serve" .*'--port <PORT>' argument missing.*serve --help/],
      ['serve --host --dev', /needs <HOST> after --host/],
      ['serve --json=yes', /unknown option '--json'/],
      ['bot create --turns-per-day -1', /--turns-per-day must be a whole number.*, not "-1"/],
      ['serve extra', /extra.*serve --help/],
      ['org', /create, list.*org --help/],
      ['org --json', /"natter org" .*unknown option '--json'.*org --help/],
      ['org revoke', /"natter org" has the commands create, list: unknown command 'revoke'/],
      ['org create', /required option '--name <NAME>' not specified/],
      ['org list --database :memory:', /--database \(NATTER_DATABASE\).*in memory/],
      ['bot create --name x', /required option '--organization <ID>' not specified/],
      ['bot update', /missing required argument 'BOT'/],
      ['bot create --organization o --name x --origin https://shop.example/page', /--origin must/],
      ['bot secret b', /required option '--rotate <webhook\|events>' not specified/],
      ['token create', /required option '--organization <ID>' not specified/],
      ['token revoke', /missing required argument 'PREFIX'/],
      ['token revoke a b', /Expected 1 argument but got 2: a, b/],
      ['contact erase c', /required option '--bot <BOT>' not specified/],
      ['backup', /missing required argument 'FILE'/],
    ]
    for (const [line, message] of mistakes) {
      expect(() => parse(line), line).toThrow(UsageError)
      expect(() => parse(line), line).toThrow(message)
    }
  })

  it('takes the last value of an option that is given twice', () => {
    expect(parse('org create --name a --name b')).toMatchObject({ call: { values: { name: 'b' } } })
  })

  it('repeats no value of a flag that it does not know, and no token', () => {
    const token = `o_${'x'.repeat(43)}`
    const messageOf = (line: string) => {
      try {
        return parse(line)
      } catch (error) {
        return String(error)
      }
    }
    expect(messageOf('serve --api-key=secret')).toMatch(/unknown option '--api-key'\. Run/)
    expect(messageOf(`serve --api-key ${token}`)).toMatch(/unknown option '--api-key'\. Run/)
    expect(messageOf(`serve ${token}`)).toContain('got 1: [redacted]')
  })

  it('takes a blank argument for none, and a value that begins with -- only after an equals sign', () => {
    expect(() => parseWords(['bot', 'show', ' '])).toThrow(/"natter bot show" .*must not be blank/i)
    expect(parseWords(['bot', 'update', 'b', '--greeting=--hello--'])).toMatchObject({
      call: { values: { greeting: '--hello--' } },
    })
  })

  it('helps wherever it is asked to', () => {
    for (const line of ['', 'help', '--help', '-h']) expect(textOf(line)).toBe(textOf('--help'))
    for (const line of ['serve --help', 'serve -h --port 80', 'help serve'])
      expect(textOf(line)).toMatch(/^Usage: natter serve /)
    for (const line of ['bot --help', 'help bot']) expect(textOf(line)).toMatch(/^Usage: natter bot \[options\]/)
    for (const line of ['bot create --help', 'bot create --name x -h', 'bot help create'])
      expect(textOf(line)).toMatch(/^Usage: natter bot create --organization <ID>/)
    expect(textOf('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('the help', () => {
  it('names every topic, every command and every option, in lines that fit a terminal', () => {
    for (const name of topicNames) expect(textOf('--help')).toMatch(new RegExp(`^  ${name} `, 'm'))
    for (const command of commands) {
      const page = textOf(`${command.name} --help`)
      expect(page).toContain(`Usage: natter ${command.name} `)
      for (const option of command.options)
        expect(page).toContain(`\n  ${isVariableOnly(option) ? option.envVar : option.flags} `)
      for (const line of page.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
    }
  })

  it('shows which options are required', () => {
    expect(textOf('bot create --help')).toContain('natter bot create --organization <ID> --name <NAME> [options]\n')
    expect(textOf('token revoke --help')).toContain('natter token revoke <PREFIX> [options]\n')
  })
})
