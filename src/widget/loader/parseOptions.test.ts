import { describe, expect, it } from 'vitest'
import { parseOptions } from './parseOptions.ts'

function parse(input: Record<string, unknown>) {
  const problems: string[] = []
  const options = parseOptions(input, what => problems.push(what), 'https://chat.example')
  return { options, problems }
}

describe('the options of a site', () => {
  it('are used unchanged if valid', () => {
    const input = {
      botId: 'bot',
      baseUrl: '/chat',
      theme: 'dark',
      accent: '#0B7285',
      position: 'start',
      mode: 'inline',
      target: '#chat',
      offset: '12',
      zIndex: 7,
      titleBadge: '',
      persist: 'session',
    }
    expect(parse(input)).toEqual({ options: input, problems: [] })
  })

  it('takes the texts of an attribute, which are JSON', () => {
    const { options, problems } = parse({ strings: '{"chat":"Hilfe","send":"Los"}' })
    expect([options.strings, problems]).toEqual([{ chat: 'Hilfe', send: 'Los' }, []])
  })

  it.each([
    ['strings', '{chat: "Hilfe"}'],
    ['theme', 'drak'],
    ['accent', 'blue'],
    ['position', 'left'],
    ['mode', 'Inline'],
    ['offset', '20px'],
    ['zIndex', 'high'],
    ['titleBadge', 'yes'],
    ['baseUrl', 'chat.example'],
  ])('fall back to the default and report it if %s is "%s"', (name, value) => {
    const { options, problems } = parse({ botId: 'bot', [name]: value })
    expect(options).toEqual({ botId: 'bot', baseUrl: 'https://chat.example' })
    expect(problems).toEqual([`The option \`${name}\` has a wrong value`])
  })

  it('count as not set if an attribute is empty or a property is undefined', () => {
    expect(parse({ accent: '', offset: '', locale: undefined, target: null }).problems).toEqual([])
    expect(parse({ accent: '', locale: undefined }).options).toEqual({ baseUrl: 'https://chat.example' })
  })

  it('are ignored if the name is unknown: tags have attributes of other tools, and pages extend Object.prototype', () => {
    const given = Object.assign(Object.create({ theme: 'dark' }), { turboTrack: 'reload', botid: 'bot', toString: 'y' })
    expect(parse(given)).toEqual({ options: { baseUrl: 'https://chat.example' }, problems: [] })
  })
})
