import { type ParsedOptions, parseOptions } from '../widget/loader/parseOptions.ts'
import { guideAddress } from '../widget/loader/problems.ts'
import { type CheckResult, failed, ok } from './check.ts'
import { findChatTag, type Page } from './page.ts'

/** The tag that embeds the chat, as the widget reads it. */
export interface ChatTag {
  attributes: Record<string, string>
  /** Without those that the widget refuses. */
  options: ParsedOptions
  /** What the widget says of its attributes. */
  mistakes: CheckResult[]
}

/** The attributes of the tag that are addresses. */
const addressNames = ['src', 'data-base-url', 'data-token-url']

/** An attribute of the tag that has to be an address and is none; `undefined` if all are. */
export function findWrongAddress(page: Page): CheckResult | undefined {
  const tag = findChatTag(page) ?? {}
  const name = addressNames.find(each => tag[each] && !URL.canParse(tag[each], page.url))
  return name === undefined
    ? undefined
    : failed('tag', `its ${name} is ${tag[name]}, which is no address`, `Correct ${name}.`)
}

/** Reads the tag with the code of the widget, so that both refuse the same; `undefined` if the page has none. */
export function readChatTag(page: Page): ChatTag | undefined {
  const attributes = findChatTag(page)
  if (!attributes) return undefined
  const mistakes: CheckResult[] = []
  const { origin } = new URL(attributes['src'] ?? '', page.url)
  const options = parseOptions(
    datasetOf(attributes),
    what => void mistakes.push(failed('tag', what, `See ${guideAddress(attributes['data-base-url'] || origin)}`)),
    origin,
  )
  return { attributes, options, mistakes }
}

/** The names and values of `dataset` in a browser. */
function datasetOf(attributes: Record<string, string>): Record<string, string> {
  const data = Object.entries(attributes).filter(([name]) => name.startsWith('data-'))
  return Object.fromEntries(
    data.map(([name, value]) => [
      name.slice(5).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
}

/** Checks the tag. A page whose bundle embeds the chat has none. */
export function* checkTag(tag: ChatTag | undefined): Generator<CheckResult> {
  if (!tag) return yield ok('tag', 'the page has no tag of natter.js: the chat comes from its bundle')
  const { attributes, options, mistakes } = tag
  yield* mistakes
  if (attributes['type'] === 'module')
    return yield failed(
      'tag',
      'the tag has type="module", so the script can not see its own tag',
      'Remove type="module".',
    )
  if (options.botId) return yield ok('tag', `embeds the bot ${options.botId}`)
  yield failed('tag', 'the tag has no data-bot-id', 'Add data-bot-id: "natter bot list" shows the ids.')
}
