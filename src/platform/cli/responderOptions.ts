import { readFileSync } from 'node:fs'
import { maxHistory, type ResponderSettings } from '../../contract/index.ts'
import { mintWebhookSecret } from '../domain/tokens.ts'
import { readFolder } from './folder.ts'
import { type Options, oneOf, refuse, type ValuesOf, wholeNumber } from './option.ts'
import { UsageError } from './usageError.ts'

const kinds = ['faq', 'webhook', 'openai', 'none'] as const
type Kind = (typeof kinds)[number]

const longestPrompt = 32_000

/** Reads an address that the platform calls. Plain HTTP is allowed, for private networks. */
export function readAddress(text: string): string {
  const url = URL.parse(text)
  const isUsable = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash
  return isUsable && text.length <= 2048
    ? url.href
    : refuse('Must be an http or https address without a user, a password or a fragment.')
}

function readPrompt(text: string): string {
  const prompt = text.startsWith('@') ? readFileOf(text.slice(1)) : text
  return prompt.length <= longestPrompt && prompt.isWellFormed() && !prompt.includes('\0')
    ? prompt.trim()
    : refuse(`Must have at most ${longestPrompt} characters, without NUL.`)
}

function readFileOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return refuse('Must be a text, or @ and a file that can be read.')
  }
}

/** The settings of a bot's responder. */
export const responderOptions = {
  responder: {
    metavar: 'KIND',
    description: 'Who answers: faq (the default), webhook, openai, or none for agents only',
    read: oneOf(...kinds),
  },
  content: {
    metavar: 'FOLDER',
    description: 'faq: Markdown files to answer from; none for the folder that "natter serve" is given',
    read: text => (text === 'none' ? text : readFolder(text)),
  },
  'webhook-url': { metavar: 'URL', description: 'webhook: what is asked for each answer', read: readAddress },
  'openai-base-url': {
    metavar: 'URL',
    description: 'openai: an OpenAI-compatible endpoint; initially https://api.openai.com/v1',
    read: readAddress,
  },
  'openai-model': {
    metavar: 'NAME',
    description: 'openai: the model',
    read: text => text.trim() || refuse('Must be a name.'),
  },
  'openai-prompt': {
    metavar: 'TEXT',
    description: 'openai: the system prompt, or @FILE, or "" for none',
    read: readPrompt,
  },
  'openai-history': {
    metavar: 'N',
    description: 'openai: how many of the last messages the model gets, 1 to 100; initially 20',
    read: wholeNumber(1, maxHistory),
  },
} satisfies Options
type Given = ValuesOf<typeof responderOptions>

const belongsTo: Record<Exclude<keyof Given, 'responder'>, Kind> = {
  content: 'faq',
  'webhook-url': 'webhook',
  'openai-base-url': 'openai',
  'openai-model': 'openai',
  'openai-prompt': 'openai',
  'openai-history': 'openai',
}

/** The bot's responder after the changes; `null` if there are none. */
export function changeResponder(given: Given, before: ResponderSettings): ResponderSettings | null {
  const kind = given.responder ?? before.kind
  const flags = (Object.keys(belongsTo) as (keyof typeof belongsTo)[]).filter(flag => given[flag] !== undefined)
  const stray = flags.find(flag => belongsTo[flag] !== kind)
  if (stray !== undefined)
    throw new UsageError(
      `--${stray} is for the responder ${belongsTo[stray]}, and this bot's is ${kind}: say --responder ${belongsTo[stray]} too.`,
    )
  if (given.responder === undefined && flags.length === 0) return null
  switch (kind) {
    case 'none':
      return { kind }
    case 'faq': {
      const content = given.content ?? (before.kind === 'faq' ? before.content : undefined)
      return { kind, ...(content !== undefined && content !== 'none' && { content }) }
    }
    case 'webhook': {
      const old = before.kind === 'webhook' ? before : undefined
      const url = given['webhook-url'] ?? old?.url ?? needed('webhook-url', kind)
      return { secret: mintWebhookSecret(), ...old, kind, url }
    }
    case 'openai': {
      const old = before.kind === 'openai' ? before : undefined
      return {
        kind,
        baseUrl: given['openai-base-url'] ?? old?.baseUrl ?? 'https://api.openai.com/v1',
        model: given['openai-model'] ?? old?.model ?? needed('openai-model', kind),
        prompt: given['openai-prompt'] ?? old?.prompt ?? defaultPrompt,
        history: given['openai-history'] ?? old?.history ?? 20,
      }
    }
  }
}

const defaultPrompt = `You answer the visitors of a website in its chat: briefly, politely and in their language.
Say so when you do not know something, and never make anything up.`

function needed(flag: string, kind: Kind): never {
  throw new UsageError(`--responder ${kind} needs --${flag}.`)
}
