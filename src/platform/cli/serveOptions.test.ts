import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openaiUrl } from '../responders/openai.ts'
import { withEnvironment } from '../testing/withEnvironment.ts'
import { UsageError } from './command.ts'
import type { ValuesOf } from './option.ts'
import { parseCommand } from './program.ts'
import { serve } from './serve.ts'
import type { serveOptions } from './serveOptions.ts'
import { unknownVariables } from './unknownVariables.ts'

const readWords = (words: string[], environment = {}) => {
  const parsed = withEnvironment(environment, () => parseCommand([serve], ['serve', ...words]))
  if ('text' in parsed) throw new Error('This asks for help')
  return parsed.call.values as ValuesOf<typeof serveOptions>
}
const read = (line: string, environment = {}) => readWords(line.split(' ').filter(Boolean), environment)

/** Each option with a value, and how that is read. */
const settings: Record<string, [text: string, value: unknown]> = {
  host: ['0.0.0.0', '0.0.0.0'],
  port: ['0', 0],
  database: [':memory:', ':memory:'],
  'oidc-issuer': ['https://login.example/a', 'https://login.example/a'],
  'oidc-client-id': ['desk', 'desk'],
  'oidc-passwords': ['true', 'true'],
  'nats-url': ['nats://a,b', 'nats://a,b'],
  content: ['demo/content', resolve('demo/content')],
  'rate-limit': ['0', 0],
  'turns-per-minute': ['600', 600],
  'conversation-turns-per-minute': ['20', 20],
  'sessions-per-minute': ['900', 900],
  'address-sessions-per-minute': ['90', 90],
  streams: ['5000', 5000],
  'address-streams': ['50', 50],
  'trusted-proxies': ['::1, 10.0.0.0/8', ['::1', '10.0.0.0/8']],
  drain: ['7', 7],
  'agent-pause': ['5', 5],
  'handover-timeout': ['10', 10],
  'unread-after': ['3', 3],
  'retention-days': ['30', 30],
  metrics: ['all', 'all'],
  egress: ['public', 'public'],
  'log-level': ['warn', 'warn'],
}
const variableOf = (name: string) => `NATTER_${name.toUpperCase().replaceAll('-', '_')}`
const attributeOf = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
const of = <Value>(name: (option: string) => string, value: (setting: [string, unknown]) => Value) =>
  Object.fromEntries(Object.entries(settings).map(([option, setting]) => [name(option), value(setting)]))
const allByVariable = of(variableOf, ([text]) => text)
const all = of(attributeOf, ([, value]) => value)

describe('serveOptions', () => {
  it('have a default, or none, if they are not set', () => {
    const defaults = {
      ...{ host: '127.0.0.1', port: 8787, database: './natter.db', rateLimit: 3600 },
      ...{ agentPause: 30, handoverTimeout: 30, unreadAfter: 10 },
    }
    const limits = {
      ...{ turnsPerMinute: 60, conversationTurnsPerMinute: 10, sessionsPerMinute: 3000 },
      ...{ addressSessionsPerMinute: 300, streams: 20_000, addressStreams: 1000 },
    }
    const words = { metrics: 'local', egress: 'any', logLevel: 'info', openaiKeyBaseUrl: openaiUrl }
    expect(read('')).toEqual({ ...defaults, ...limits, ...words, drain: 5 })
    // An empty variable is how a compose file passes one that is not set.
    const empty = of(variableOf, () => '')
    expect(read('', { ...empty, NATTER_OPENAI_API_KEY: '' })).toEqual(read(''))
  })

  it('come from flags or variables, and flags take precedence', () => {
    const flags = Object.entries(settings).flatMap(([option, [text]]) => [`--${option}`, text])
    expect(readWords([...flags, '--dev', '--json'])).toMatchObject({ ...all, dev: true, json: true })
    expect(read('', allByVariable)).toMatchObject(all)
    expect(read('--port 1 --retention-days 2', allByVariable)).toMatchObject({ ...all, port: 1, retentionDays: 2 })
  })

  it('accept the key of the model only from the environment, and show it nowhere', () => {
    // The key of another program may be for another endpoint.
    expect(read('', { OPENAI_API_KEY: 'sk-a' }).openaiApiKey).toBeUndefined()
    expect(read('', { NATTER_OPENAI_API_KEY: 'sk-b' }).openaiApiKey).toBe('sk-b')
    expect(() => read('--openai-api-key sk-a')).toThrow(
      /has no --openai-api-key, only the variable NATTER_OPENAI_API_KEY\./,
    )
    try {
      read('', { NATTER_OPENAI_API_KEY: 'sk-a sk-b' })
      expect.unreachable()
    } catch (error) {
      expect(String(error)).toContain('NATTER_OPENAI_API_KEY must be a key')
      expect(String(error)).not.toMatch(/sk-|--openai/)
    }
  })

  it('reject invalid values, with the names of the flag and the variable and a hint', () => {
    const mistakes: [string, string, RegExp][] = [
      ['host', ' ', /such as 127\.0\.0\.1/],
      ['port', '70000', /from 0 \(picks a free one\) to 65535, not "70000"/],
      ['port', 'tcp://10.0.0.1:8787', /number/],
      ['port', '80.5', /number/],
      ['nats-url', 'http://bus', /such as nats:/],
      ['content', '/nowhere', /existing folder/],
      ['rate-limit', '-1', /whole number from 0/],
      ['trusted-proxies', '10.0.0.0/33', /such as 127\.0\.0\.1,10\.0\.0\.0\/8/],
      ['trusted-proxies', 'proxy.local', /addresses or networks/],
      ['trusted-proxies', '::1/129', /addresses or networks/],
      ['agent-pause', '1e3', /minutes/],
      ['handover-timeout', '0', /minutes/],
      ['retention-days', '0', /whole days from 1/],
      ['metrics', 'some', /one of local, all, off/],
    ]
    for (const [name, text, message] of mistakes) {
      const variable = variableOf(name)
      for (const attempt of [() => read('', { [variable]: text }), () => readWords([`--${name}=${text}`])]) {
        expect(attempt).toThrow(UsageError)
        expect(attempt).toThrow(`--${name} (${variable}) must be `)
        expect(attempt).toThrow(message)
      }
    }
  })
})

describe('unknownVariables', () => {
  it('lists each unknown NATTER_* variable, and the one that may have been meant', () => {
    expect(
      unknownVariables({ NATTER_RETENTION: '1', NATTER_DATABSE: 'x', NATTER_COLOUR: 'x', NATTER_FOO: 'x', HOME: '/' }),
    ).toEqual([
      'NATTER_COLOUR is not a variable of Natter: "natter serve --help" lists them.',
      'NATTER_DATABSE is not a variable of Natter: did you mean NATTER_DATABASE?',
      'NATTER_FOO is not a variable of Natter: "natter serve --help" lists them.',
      'NATTER_RETENTION is not a variable of Natter: did you mean NATTER_RETENTION_DAYS?',
    ])
  })

  it('accepts those of the demo and the tests, and the known ones', () => {
    const others = { NATTER_BASE_URL: '', NATTER_BOT_ID: '', NATTER_ORGANIZATION_TOKEN: '' }
    const ofTests = {
      NATTER_CHROMIUM: '',
      NATTER_FIREFOX: '',
      NATTER_WEBKIT: '',
      NATTER_NATS: '',
      NATTER_TEST_LONG: '1',
    }
    expect(unknownVariables({ ...allByVariable, ...others, ...ofTests, NATTER_OPENAI_API_KEY: 'x' })).toEqual([])
  })
})
