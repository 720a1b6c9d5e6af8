import { parseOrigin } from '../../contract/origin.ts'
import { type Options, refuse, type ValuesOf } from './option.ts'
import { UsageError } from './usageError.ts'

/** Reads an origin or a pattern of origins. What no page can have would silently match nothing. */
function readOrigin(text: string): string {
  if (text === '*' || text === 'null') return text
  const [, base = text, anyPort = ''] = /^(.*?)(:\*)?\/?$/.exec(text) ?? []
  const isWildcard = base.includes('://*.')
  const parsed = parseOrigin(base.replace('://*.', '://any.'))
  if ('reason' in parsed) return refuse(parsed.reason)
  const { origin } = parsed
  if (origin.includes('*') || (isWildcard && !/:\/\/any\.[^.:]+\.[^.]/.test(origin)))
    return refuse('Must have its * before a domain, as in https://*.shop.example, which takes all subdomains.')
  return `${isWildcard ? origin.replace('://any.', '://*.') : origin}${anyPort}`
}

/** Sets all origins of a bot. */
export const originOptions = {
  origin: {
    metavar: 'ORIGIN',
    many: true,
    description:
      'A site that may embed the bot, such as https://shop.example, or none; https://*.shop.example takes all subdomains, https://host:* any port, * any site',
    read: text => (text === 'none' ? text : readOrigin(text)),
  },
} satisfies Options

/** Changes some of the origins that a bot has. */
export const originChangeOptions = {
  'add-origin': {
    metavar: 'ORIGIN',
    many: true,
    description: 'Another site that may embed the bot; the others stay',
    read: readOrigin,
  },
  'remove-origin': {
    metavar: 'ORIGIN',
    many: true,
    description: 'A site that may no longer embed the bot; the others stay',
    read: readOrigin,
  },
} satisfies Options

/** The bot's origins after `--add-origin` and `--remove-origin`; `undefined` if neither is given. */
export function changeOrigins(
  given: ValuesOf<typeof originChangeOptions> & { origin: string[] | undefined },
  before: string[],
): string[] | undefined {
  const { 'add-origin': added = [], 'remove-origin': removed = [] } = given
  if (added.length + removed.length === 0) return undefined
  if (given.origin)
    throw new UsageError('--origin replaces all origins: give it without --add-origin and --remove-origin.')
  const unknown = removed.find(origin => !before.includes(origin))
  if (unknown !== undefined)
    throw new UsageError(`The bot does not have the origin ${unknown}. It has: ${before.join(', ') || 'none'}.`)
  return [...new Set([...before, ...added])].filter(origin => !removed.includes(origin))
}
