// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { headings, readGuide } from '../../guides.ts'
import type { OptionSource, Problem } from '../loader/problems.ts'
import { explainProblem } from './explainProblem.ts'

afterEach(() => vi.restoreAllMocks())

/** Returns the console message for a problem. A page reports each message once, so each test needs different problems. */
function explain(problem: Problem, source: OptionSource = 'script', baseUrl = 'https://chat.example'): string[] {
  const lines: string[] = []
  vi.spyOn(console, 'warn').mockImplementation(line => void lines.push(line))
  explainProblem(problem, source, baseUrl)
  return lines
}

describe('a mistake in the options', () => {
  it('is named in the spelling of its source, with the address of the guide', () => {
    const problem = { code: 'invalid_option', name: 'titleBadge', value: 'yes' } as const
    const address = 'https://chat.example/docs/widget#options'
    expect(explain(problem)).toEqual([`Natter: data-title-badge can't be "yes". See ${address}`])
    expect(explain(problem, 'element')).toEqual([`Natter: title-badge can't be "yes". See ${address}`])
    expect(explain(problem, 'createWidget')).toEqual([`Natter: \`titleBadge\` can't be "yes". See ${address}`])
  })

  it('is named with what an address of the token route may be', () => {
    const problem = { code: 'invalid_option', name: 'tokenUrl', value: 'http://localhost:3000/chat-token' } as const
    expect(explain(problem)[0]).toContain(
      `"http://localhost:3000/chat-token", only a path of this page's origin or https. See`,
    )
  })

  it('is named once', () => {
    const problem = { code: 'invalid_option', name: 'theme', value: 'drak' } as const
    expect(explain(problem)).toHaveLength(1)
    expect(explain(problem)).toEqual([])
    expect(explain({ ...problem, value: 'drk' })).toHaveLength(1)
  })

  it('is named even if the address of the platform is no text', () => {
    const problem = { code: 'invalid_option', name: 'baseUrl', value: 5 } as const
    expect(explain(problem, 'createWidget', 5 as never)).toEqual([
      "Natter: `baseUrl` can't be 5. See 5/docs/widget#options",
    ])
  })

  it('never shows a whole object', () => {
    const [line] = explain({ code: 'invalid_option', name: 'zIndex', value: { token: 'secret' } }, 'createWidget')
    expect(line).toContain('of the type object')
    expect(line).not.toContain('secret')
  })
})

it('says nothing when the network has failed, but names what in the page keeps the chat from loading', () => {
  expect(explain({ code: 'chunk_failed' })).toEqual([])
  vi.spyOn(Object, 'isFrozen').mockReturnValue(true)
  expect(explain({ code: 'chunk_failed' })[0]).toContain('has frozen Object.prototype')
})

it('names a section that the guide has, of the platform at any address', () => {
  const problems: Problem[] = [
    { code: 'unknown_option', name: 'colour' },
    { code: 'unknown_texts', names: ['nonsense'] },
    { code: 'missing_option', name: 'target' },
    { code: 'missing_token_url' },
    { code: 'missing_bot_id' },
    { code: 'not_found', name: 'launcher', value: '.nowhere' },
    { code: 'invalid_context' },
    { code: 'change_ignored' },
  ]
  const anchors = headings(readGuide('src/widget/README.md')).map(({ anchor }) => anchor)
  for (const problem of problems) {
    const [line] = explain(problem, 'createWidget', 'https://shop.example/chat/')
    const section = /^Natter: .+\. See https:\/\/shop\.example\/chat\/docs\/widget#(.+)$/.exec(line ?? '')?.[1]
    expect(anchors, line).toContain(section)
  }
})
