import { readFileSync } from 'node:fs'
import { type KindSettings, maxHistory, type ResponderSettings } from '../../contract/index.ts'
import { mintWebhookSecret } from '../domain/tokens.ts'
import type { OpenaiSettings } from '../responders/openaiKey.ts'
import { openaiUrl } from '../responders/openaiKey.ts'
import { readFolder } from './folder.ts'
import { type Options, oneOf, readApiKey, refuse, type ValuesOf, wholeNumber } from './option.ts'
import { readUrl } from './readUrl.ts'
import { UsageError } from './usageError.ts'

const kinds = ['faq', 'webhook', 'openai', 'none'] as const
type Kind = (typeof kinds)[number]

const longestPrompt = 32_000

function readPrompt(text: string): string {
  const prompt = text.startsWith('@')
    ? readFileOf(text.slice(1), 'Must be a text, or @ and a file that can be read.')
    : text
  return prompt.length <= longestPrompt && prompt.isWellFormed() && !prompt.includes('\0')
    ? prompt.trim()
    : refuse(`Must have at most ${longestPrompt} characters, without NUL.`)
}

/** Reads a file by its path or descriptor, or refuses it with a sentence. */
function readFileOf(file: string | number, refusal: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return refuse(refusal)
  }
}

const readKeyFile = (file: string): string =>
  readApiKey(readFileOf(file === '-' ? 0 : file, 'Must be a file that can be read, - or none.').trim())

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
  'webhook-url': { metavar: 'URL', description: 'webhook: what is asked for each answer', read: readUrl },
  'openai-base-url': {
    metavar: 'URL',
    description: `openai: an OpenAI-compatible endpoint; initially ${openaiUrl}`,
    read: readUrl,
  },
  'openai-key-file': {
    metavar: 'FILE',
    description: "openai: the file with the base URL's API key, - for stdin, or none; initially the platform's key",
    read: text => (text === 'none' ? null : readKeyFile(text)),
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
  'openai-key-file': 'openai',
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
      `--${stray} is for the responder ${belongsTo[stray]}, and this bot's is ${kind}: add --responder ${belongsTo[stray]}.`,
    )
  if (given.responder === undefined && flags.length === 0) return null
  // The settings of other kinds are kept: `--responder none` must not cost the prompt.
  const all = allKinds(before)
  const unused = all.filter(each => each.kind !== kind && Object.keys(each).length > 1)
  return { ...changeKind(kind, given, all), ...(unused.length > 0 && { unused }) }
}

/** The settings of each kind that the bot has or had. The first one is in use. */
export const allKinds = ({ unused = [], ...inUse }: ResponderSettings): KindSettings[] => [inUse, ...unused]

function changeKind(kind: Kind, given: Given, before: KindSettings[]): KindSettings {
  const oldOf = <Old extends Kind>(kind: Old) =>
    before.find((each): each is Extract<KindSettings, { kind: Old }> => each.kind === kind)
  switch (kind) {
    case 'none':
      return { kind }
    case 'faq': {
      const content = given.content ?? oldOf(kind)?.content
      return { kind, ...(content !== undefined && content !== 'none' && { content }) }
    }
    case 'webhook': {
      const old = oldOf(kind)
      const url = given['webhook-url'] ?? old?.url ?? needed('webhook-url', kind)
      return { secret: mintWebhookSecret(), ...old, kind, url }
    }
    case 'openai': {
      const old = oldOf(kind)
      const baseUrl = given['openai-base-url'] ?? old?.baseUrl ?? openaiUrl
      const apiKey = changeApiKey(given['openai-key-file'], baseUrl, old)
      return {
        kind,
        baseUrl,
        ...(apiKey !== undefined && { apiKey }),
        model: given['openai-model'] ?? old?.model ?? needed('openai-model', kind),
        prompt: given['openai-prompt'] ?? old?.prompt ?? defaultPrompt,
        history: given['openai-history'] ?? old?.history ?? 20,
      }
    }
  }
}

/** The API key for the base URL. A key that was given for another one is not sent to it. */
function changeApiKey(given: string | null | undefined, baseUrl: string, old: OpenaiSettings | undefined) {
  if (given !== undefined) return given ?? undefined
  if (old?.apiKey === undefined || baseUrl === old.baseUrl) return old?.apiKey
  throw new UsageError(
    `The API key of this bot is for ${old.baseUrl}. Give the key for ${baseUrl} with --openai-key-file, or remove it with --openai-key-file none.`,
  )
}

const defaultPrompt = `You answer the visitors of a website in its chat: briefly, politely and in their language.
Say so when you do not know something, and never make anything up.`

function needed(flag: string, kind: Kind): never {
  throw new UsageError(`--responder ${kind} needs --${flag}.`)
}
