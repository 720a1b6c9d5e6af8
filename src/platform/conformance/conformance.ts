import { attributeRules } from './attributes.ts'
import { authorizationRules } from './authorization.ts'
import { BrokenRule } from './brokenRule.ts'
import { contactRules } from './contacts.ts'
import { contactTokenRules } from './contactTokens.ts'
import { fieldRules } from './fields.ts'
import { idempotencyRules } from './idempotency.ts'
import { expectSuccess } from './reply.ts'
import { requestRules } from './requests.ts'
import type { Rule } from './rule.ts'
import { searchRules } from './search.ts'
import { createTestTarget, type TestTarget } from './testTarget.ts'
import { upsertRules } from './upsert.ts'
import { widgetRules } from './widget.ts'

export interface ConformanceOptions {
  /** The deployment's address, without the `/v1`. */
  baseUrl: string
  botId: string
  /** An organization token; it is in no result. */
  token: string
  /** Only rules whose label and title match. */
  only?: RegExp | undefined
  /** Only rules of the specification. */
  specOnly?: boolean | undefined
  /** Ends the run after the request at hand; what it has made is deleted all the same. */
  signal?: AbortSignal | undefined
  /** Default: the global one. */
  fetch?: (request: Request) => Promise<Response>
}

/** What came of one rule. */
export interface RuleResult {
  /** `4.2` of the specification, `ours 3` of the decisions. */
  label: string
  source: Rule['source']
  title: string
  ok: boolean
  /** Only where it failed. */
  expected?: string
  got?: string
}

const allRules: readonly Rule[] = [
  ...authorizationRules,
  ...contactRules,
  ...fieldRules,
  ...searchRules,
  ...upsertRules,
  ...attributeRules,
  ...contactTokenRules,
  ...requestRules,
  ...idempotencyRules,
  ...widgetRules,
]

const labelOf = ({ source, section }: Rule): string => (source === 'spec' ? section : `ours ${section}`)

/** The rules that a run would try. */
export const selectRules = ({ only, specOnly }: Pick<ConformanceOptions, 'only' | 'specOnly'>): Rule[] =>
  allRules.filter(rule => {
    if (specOnly && rule.source !== 'spec') return false
    return !only || only.test(`${labelOf(rule)} ${rule.title}`)
  })

/**
 * Tries the rules one after the other on a bot, and deletes every contact that it has made: after each rule, at the
 * end, and when it is interrupted. Throws where nothing can be tried, or something could not be deleted.
 */
export async function* runConformance(options: ConformanceOptions): AsyncGenerator<RuleResult, void> {
  const { baseUrl, botId, token, signal = new AbortController().signal, fetch = globalThis.fetch } = options
  const address = baseUrl.replace(/\/+$/, '')
  const target = createTestTarget({ baseUrl: address, botId, token, fetch: request => fetch(request), signal })
  const hidden = (text: string): string => withoutTokens(text, token)
  await checkAccess(target, address, hidden)
  try {
    for (const rule of selectRules(options)) {
      if (signal.aborted) return
      const broken = await tryRule(rule, target)
      await target.cleanUp()
      if (signal.aborted) return
      const result = { label: labelOf(rule), source: rule.source, title: rule.title, ok: broken === null }
      yield broken ? { ...result, expected: hidden(broken.expected), got: hidden(broken.got) } : result
    }
  } finally {
    await target.sweep()
  }
}

async function tryRule(rule: Rule, target: TestTarget): Promise<BrokenRule | null> {
  try {
    await rule.check(target)
    return null
  } catch (error) {
    if (error instanceof BrokenRule) return error
    return new BrokenRule('an answer', reasonOf(error))
  }
}

/** Without access there is nothing that a rule could say. */
async function checkAccess(target: TestTarget, baseUrl: string, hidden: (text: string) => string): Promise<void> {
  try {
    expectSuccess(await target.request('POST', '/contacts?limit=1'))
  } catch (error) {
    const reason = error instanceof BrokenRule ? `it answers ${error.got}` : reasonOf(error)
    throw new Error(hidden(`${baseUrl} can't be tried with this bot and token: ${reason}`))
  }
}

/** Why a request failed; fetch itself says no more than that it did. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

/** What a deployment says may hold tokens, the organization's own too. */
const withoutTokens = (text: string, token: string): string =>
  text
    .replaceAll(token, '[token]')
    .replaceAll(encodeURIComponent(token), '[token]')
    .replace(/\b[cv](?::|%3A)[0-9a-f]{16,}/gi, '[contact token]')
