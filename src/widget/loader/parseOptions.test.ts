import { describe, expect, it } from 'vitest'
import { parseOptions } from './parseOptions.ts'
import type { OptionSource, Problem } from './problems.ts'

function parse(given: Record<string, unknown>, source: OptionSource = 'script') {
  const problems: Problem[] = []
  const options = parseOptions(given, source, problem => problems.push(problem), 'https://chat.example')
  return { options, problems }
}

describe('the options of a site', () => {
  it('are taken as they are where they are right', () => {
    const given = {
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
    expect(parse(given)).toEqual({ options: given, problems: [] })
  })

  it.each([
    ['theme', 'drak'],
    ['accent', 'blue'],
    ['position', 'left'],
    ['mode', 'Inline'],
    ['offset', '20px'],
    ['zIndex', 'high'],
    ['titleBadge', 'yes'],
    ['baseUrl', 'chat.example'],
  ])('have the default, and it is reported, where %s is "%s"', (name, value) => {
    const { options, problems } = parse({ botId: 'bot', [name]: value })
    expect(options).toEqual({ botId: 'bot', baseUrl: 'https://chat.example' })
    expect(problems).toEqual([{ code: 'invalid_option', name, value }])
  })

  it('keep nothing beyond the page, and it is reported, where persist is "sesion"', () => {
    const { options, problems } = parse({ botId: 'bot', persist: 'sesion' })
    expect(options.persist).toBe('memory')
    expect(problems).toEqual([{ code: 'invalid_option', name: 'persist', value: 'sesion' }])
  })

  it('may be empty in an attribute, or undefined in an object, for what is not set', () => {
    expect(parse({ accent: '', offset: '', locale: undefined, target: null }).problems).toEqual([])
    expect(parse({ accent: '', locale: undefined }).options).toEqual({ baseUrl: 'https://chat.example' })
  })

  it('are not confused with the attributes of other tools, but in a call every name counts', () => {
    expect(parse({ turboTrack: 'reload', cfasync: 'false', nscript: 'afterInteractive' }).problems).toEqual([])
    expect(parse({ botid: 'bot' }).problems).toEqual([{ code: 'unknown_option', name: 'botid' }])
    expect(parse({ colour: 'red' }, 'createWidget').problems).toEqual([{ code: 'unknown_option', name: 'colour' }])
  })

  it('are none of what a page has added to Object.prototype', () => {
    expect(parse({ constructor: 'x', toString: 'y' }, 'createWidget').problems).toHaveLength(2)
  })
})
