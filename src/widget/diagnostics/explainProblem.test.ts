// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { OptionSource, Problem } from '../loader/problems.ts'
import { explainProblem } from './explainProblem.ts'

afterEach(() => vi.restoreAllMocks())

/** Returns the console message for a problem. A page reports each message once, so each test needs different problems. */
function explain(problem: Problem, source: OptionSource): string[] {
  const lines: string[] = []
  vi.spyOn(console, 'warn').mockImplementation(line => void lines.push(line))
  explainProblem(problem, source)
  return lines
}

describe('a mistake in the options', () => {
  it('is explained in the spelling of its source, with what to write instead', () => {
    const problem = { code: 'invalid_option', name: 'titleBadge', value: 'yes' } as const
    expect(explain(problem, 'script')).toEqual([
      `Natter: data-title-badge can't be "yes". Write true or false. false is used.`,
    ])
    expect(explain(problem, 'element')[0]).toContain(`title-badge can't be "yes"`)
    expect(explain(problem, 'createWidget')[0]).toContain("`titleBadge` can't be")
  })

  it('is explained once', () => {
    const problem = { code: 'invalid_option', name: 'theme', value: 'drak' } as const
    expect(explain(problem, 'script')).toHaveLength(1)
    expect(explain(problem, 'script')).toEqual([])
    expect(explain({ ...problem, value: 'drk' }, 'script')).toHaveLength(1)
  })

  it('suggests the nearest name', () => {
    const nearest = (name: string, source: OptionSource) => explain({ code: 'unknown_option', name }, source)[0]
    expect(nearest('botid', 'script')).toContain('Did you mean data-bot-id?')
    expect(nearest('acent', 'script')).toContain('Did you mean data-accent?')
    expect(nearest('dataBotId', 'element')).toContain('Did you mean bot-id?')
    expect(nearest('launchr', 'createWidget')).toContain('Did you mean `launcher`?')
    expect(nearest('colour', 'createWidget')).toContain('The guide of the widget lists all options.')
    // An attribute of another tool.
    expect(nearest('reactHelmet', 'script')).toBeUndefined()
  })

  it('is a bot id that is missing or misspelt on the tag, unless the tag serves elements only', () => {
    const missing = (given: string[], hasElement = true) =>
      explain({ code: 'missing_bot_id', given, hasElement }, 'script')[0]
    expect(missing(['bot_id', 'theme'])).toContain('Did you mean data-bot-id?')
    expect(missing(['theme'])).toContain("data-bot-id is missing on the script's tag")
    expect(missing(['turboTrack'])).toBeUndefined()
    expect(missing(['turboTrack'], false)).toContain('A tag manager drops data attributes')
  })

  it('never shows a whole object', () => {
    const [line] = explain({ code: 'invalid_option', name: 'zIndex', value: { token: 'secret' } }, 'createWidget')
    expect(line).toContain('of the type object')
    expect(line).not.toContain('secret')
  })
})

it('explains unknown keys of texts, each with the nearest one', () => {
  const known = { writeMessage: '', contact_deleted: '' }
  const unknown = (given: object) => explain({ code: 'unknown_texts', given, known }, 'createWidget')[0]
  expect(unknown({ writeMesage: 'x', writeMessage: 'x', nonsense: 'x' })?.split('\n')).toEqual([
    'Natter: `strings` has the key writeMesage, which no text has, and it is ignored. Did you mean writeMessage?',
    '`strings` has the key nonsense, which no text has, and it is ignored. The guide of the widget lists all texts.',
  ])
  expect(unknown({ contactDeleted: 'x' })).toContain('Did you mean contact_deleted?')
})

it('explains that refresh() has no address to ask', () => {
  expect(explain({ code: 'missing_token_url' }, 'createWidget')[0]).toContain(
    "auth.refresh() does nothing, because the option tokenUrl is missing: data-token-url on the script's tag",
  )
})

it('explains which facts about the visitor are allowed', () => {
  expect(explain({ code: 'invalid_context' }, 'script')[0]).toContain('takes an object of at most 20 keys')
})

describe('a chat that can not be shown', () => {
  it('is explained if the page has frozen Object.prototype, but not if the network has failed', () => {
    expect(explain({ code: 'chunk_failed' }, 'script')).toEqual([])
    const isFrozen = vi.spyOn(Object, 'isFrozen').mockReturnValue(true)
    expect(explain({ code: 'chunk_failed' }, 'script')[0]).toContain('has frozen Object.prototype')
    isFrozen.mockRestore()
  })
})
