import { attributeRules } from './attributes.ts'
import { authorizationRules } from './authorization.ts'
import { contactRules } from './contacts.ts'
import { contactTokenRules } from './contactTokens.ts'
import * as expect from './expect.ts'
import { fieldRules } from './fields.ts'
import { fileRules } from './files.ts'
import { idempotencyRules } from './idempotency.ts'
import { BrokenRule } from './reply.ts'
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
  /** Ends the run after the current request. The contacts that it has created are still deleted. */
  signal?: AbortSignal | undefined
  /** Default: the global one. */
  fetch?: (request: Request) => Promise<Response>
}

/** The result of one rule. */
export interface RuleResult {
  label: Rule['label']
  source: Rule['source']
  title: string
  ok: boolean
  /** Only if the rule is broken. */
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
  ...fileRules,
]

/** The rules that a run checks. */
export const selectRules = ({ only, specOnly }: Pick<ConformanceOptions, 'only' | 'specOnly'>): Rule[] =>
  allRules.filter(rule => {
    if (specOnly && rule.source !== 'specification') return false
    return !only || only.test(`${rule.label} ${rule.title}`)
  })

/**
 * Checks the rules one after the other on a bot, and deletes every contact that it creates: after each rule, at the end,
 * and when it is interrupted. Throws if the bot cannot be accessed, or if a contact could not be deleted.
 */
export async function* runConformance(options: ConformanceOptions): AsyncGenerator<RuleResult, void> {
  const { baseUrl, botId, token, signal = new AbortController().signal, fetch = globalThis.fetch } = options
  const address = baseUrl.replace(/\/+$/, '')
  const target = createTestTarget({ baseUrl: address, botId, token, fetch: request => fetch(request), signal })
  const withoutToken = (text: string): string => withoutTokens(text, token)
  await checkAccess(target, address, withoutToken)
  try {
    for (const rule of selectRules(options)) {
      if (signal.aborted) return
      const broken = await checkRule(rule, target)
      await target.cleanUp()
      if (signal.aborted) return
      const result = { label: rule.label, source: rule.source, title: rule.title, ok: broken === null }
      yield broken ? { ...result, expected: withoutToken(broken.expected), got: withoutToken(broken.got) } : result
    }
  } finally {
    await target.sweep()
  }
}

async function checkRule(rule: Rule, target: TestTarget): Promise<BrokenRule | null> {
  try {
    await rule.check(target)
    return null
  } catch (error) {
    if (error instanceof BrokenRule) return error
    return new BrokenRule('a response', reasonOf(error))
  }
}

/** Without access, every rule would fail for the same reason. */
async function checkAccess(target: TestTarget, baseUrl: string, withoutToken: (text: string) => string): Promise<void> {
  try {
    expect.success(await target.request('POST', '/contacts?limit=1'))
  } catch (error) {
    const reason = error instanceof BrokenRule ? explainRefusal(error.got) : reasonOf(error)
    throw new Error(withoutToken(`${baseUrl} cannot be checked with this bot and token: ${reason}`))
  }
}

/** Explains the usual refusals, which are about the token or the bot. `got` begins with the status. */
function explainRefusal(got: string): string {
  if (got.startsWith('401')) return 'the platform does not accept the token. "natter token list" shows the open ones.'
  if (got.startsWith('404')) return 'the token\'s organization has no such bot. "natter bot list" shows its bots.'
  return `the platform returned ${got}`
}

/** Why a request failed. The error of `fetch` says that only in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

/** Removes tokens: responses may contain them, including the organization token. */
const withoutTokens = (text: string, token: string): string =>
  text
    .replaceAll(token, '[token]')
    .replaceAll(encodeURIComponent(token), '[token]')
    .replace(/\b[cv](?::|%3A)[0-9a-f]{16,}/gi, '[contact token]')
