import { parseArgs } from 'node:util'

/** A mistake on the command line, with what to do about it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What the command line asks for. */
export type Command =
  | { name: 'help'; topic?: Topic }
  | { name: 'version' }
  | {
      name: 'serve'
      host: string
      port: number
      database: string
      content?: string
      dev: boolean
      json: boolean
    }
  | { name: 'org create'; database: string; title: string }
  | { name: 'bot create'; database: string; organizationId: string; bot: BotSettings }
  | { name: 'token create'; database: string; organizationId: string }
  | { name: 'org list'; database: string }
  | { name: 'bot list' | 'token list'; database: string; organizationId?: string }
  | { name: 'token revoke'; database: string; prefix: string }

export type Topic = 'serve' | 'org' | 'bot' | 'token'

export interface BotSettings {
  name: string
  origins: string[]
  quickReplies: string[]
  greeting?: string
  accent?: string
}

const string = { type: 'string' } as const
const strings = { type: 'string', multiple: true } as const
const flag = { type: 'boolean' } as const
const common = { database: string, help: { type: 'boolean', short: 'h' } } as const

const topics: readonly string[] = ['serve', 'org', 'bot', 'token'] satisfies Topic[]
const isTopic = (word: string | undefined): word is Topic => word !== undefined && topics.includes(word)

/** Understands the words after `natter`; throws a `UsageError` for what makes no sense. */
export function parseCommand(words: string[]): Command {
  const [topic, ...rest] = words
  if (topic === undefined || topic === 'help' || topic === '--help' || topic === '-h')
    return isTopic(rest[0]) ? { name: 'help', topic: rest[0] } : { name: 'help' }
  if (topic === '--version' || topic === '-v') return { name: 'version' }
  if (!isTopic(topic)) throw new UsageError(`There is no command "${topic}". Run "natter --help" for those there are.`)
  if (rest.includes('--help') || rest.includes('-h')) return { name: 'help', topic }
  try {
    if (topic === 'serve') return parseServe(rest)
    const [verb, ...more] = rest
    if (topic === 'org') return parseOrganization(verb, more)
    return topic === 'bot' ? parseBot(verb, more) : parseToken(verb, more)
  } catch (error) {
    // parseArgs says well what it does not know.
    if (error instanceof TypeError && 'code' in error) throw new UsageError(`${error.message}\n${hint(topic)}`)
    throw error
  }
}

const hint = (topic: Topic): string => `Run "natter ${topic} --help" for what it takes.`
const databaseOf = (value: string | undefined): string => value ?? 'natter.db'

function parseServe(args: string[]): Command {
  const options = { ...common, host: string, port: string, content: string, dev: flag, json: flag }
  const { values } = parseArgs({ args, options })
  const port = values.port ?? '8787'
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--port takes a number from 0 (picks a free one) to 65535, not "${port}".`)
  return {
    name: 'serve',
    host: values.host ?? '127.0.0.1',
    port: Number(port),
    database: databaseOf(values.database),
    ...(values.content !== undefined && { content: values.content }),
    dev: values.dev ?? false,
    json: values.json ?? false,
  }
}

function parseOrganization(verb: string | undefined, args: string[]): Command {
  const { values } = parseArgs({ args, options: { ...common, name: string } })
  const database = databaseOf(values.database)
  if (verb === 'list') return { name: 'org list', database }
  if (verb === 'create') return { name: 'org create', database, title: required(values.name, '--name', 'org') }
  throw unknownVerb('org', verb, 'create, list')
}

function parseBot(verb: string | undefined, args: string[]): Command {
  const more = { organization: string, name: string, greeting: string, accent: string }
  const options = { ...common, ...more, 'quick-reply': strings, origin: strings }
  const { values } = parseArgs({ args, options })
  const database = databaseOf(values.database)
  if (verb === 'list') return { name: 'bot list', database, ...organizationOf(values.organization) }
  if (verb !== 'create') throw unknownVerb('bot', verb, 'create, list')
  const { greeting, accent } = values
  if (accent !== undefined && !/^#[0-9a-f]{6}$/i.test(accent))
    throw new UsageError(`--accent takes a colour such as "#3b5bdb", not "${accent}".`)
  const bot: BotSettings = {
    name: required(values.name, '--name', 'bot'),
    origins: (values.origin ?? []).map(parseOrigin),
    quickReplies: values['quick-reply'] ?? [],
    // A shell makes it hard to write a line break, and each line of a greeting is a bubble.
    ...(greeting !== undefined && { greeting: greeting.replaceAll('\\n', '\n') }),
    ...(accent !== undefined && { accent }),
  }
  return { name: 'bot create', database, organizationId: required(values.organization, '--organization', 'bot'), bot }
}

function parseToken(verb: string | undefined, args: string[]): Command {
  const options = { ...common, organization: string }
  const { values, positionals } = parseArgs({ args, options, allowPositionals: verb === 'revoke' })
  const database = databaseOf(values.database)
  if (verb === 'list') return { name: 'token list', database, ...organizationOf(values.organization) }
  if (verb === 'revoke')
    return { name: 'token revoke', database, prefix: required(positionals[0], 'its first characters', 'token') }
  if (verb !== 'create') throw unknownVerb('token', verb, 'create, list, revoke')
  return { name: 'token create', database, organizationId: required(values.organization, '--organization', 'token') }
}

const organizationOf = (organizationId: string | undefined) => (organizationId === undefined ? {} : { organizationId })

function required(value: string | undefined, what: string, topic: Topic): string {
  if (value?.trim()) return value.trim()
  throw new UsageError(`Tell ${what}. ${hint(topic)}`)
}

const unknownVerb = (topic: Topic, verb: string | undefined, known: string): UsageError =>
  new UsageError(
    verb === undefined ? `Say what to do: ${known}. ${hint(topic)}` : `"natter ${topic}" can ${known}, not "${verb}".`,
  )

/** An origin as browsers send it; a page's address or a trailing slash would match nothing, silently. */
function parseOrigin(text: string): string {
  if (text === '*' || text === 'null') return text
  const [, base = text, anyPort = ''] = /^(.*?)(:\*)?$/.exec(text) ?? []
  const origin = URL.canParse(base) ? new URL(base).origin : 'null'
  if (origin !== base || origin === 'null')
    throw new UsageError(`--origin takes scheme, host and port, such as https://shop.example, not "${text}".`)
  return `${origin}${anyPort}`
}
