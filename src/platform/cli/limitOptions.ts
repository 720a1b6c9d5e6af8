import { defaultMegabytes, maxAttachmentMegabytes } from '../domain/attachments.ts'
import { omitUndefined } from '../store/omitUndefined.ts'
import type { BotLimits } from '../store/store.ts'
import { type Options, refuse, type ValuesOf, wholeNumber } from './option.ts'

/** Each reply counts the replies of the last minute. Counting more of them would take too much of the writer's time. */
export const maxTurnsPerMinute = 3000
export const maxSessionsPerMinute = 1_000_000
const maxMegabytesPerDay = 1_000_000

/** Reads a number, or the word that removes a bot's own limit. Without a limit of its own, a bot has the node's default. */
const orDefault = (word: 'none' | 'default', most: number) => (text: string) =>
  text === word
    ? ('default' as const)
    : /^\d+$/.test(text)
      ? wholeNumber(1, most)(text)
      : refuse(`Must be a whole number from 1 to ${most}, or ${word}.`)

/** The limits of a bot. */
export const limitOptions = {
  'turns-per-day': {
    metavar: 'N',
    description: 'Limit of replies of the responder per day (UTC), or none',
    read: orDefault('none', 1_000_000_000),
  },
  'turns-per-minute': {
    metavar: 'N',
    description: "Limit of replies of the responder per minute, or default for the server's",
    read: orDefault('default', maxTurnsPerMinute),
  },
  'conversation-turns-per-minute': {
    metavar: 'N',
    description: "Limit of replies per minute in one conversation, or default for the server's",
    read: orDefault('default', maxTurnsPerMinute),
  },
  'sessions-per-minute': {
    metavar: 'N',
    description: "Limit of new anonymous sessions per minute, or default for the server's",
    read: orDefault('default', maxSessionsPerMinute),
  },
  'attachment-megabytes': {
    metavar: 'N',
    description: `Limit of a file in MiB, at most ${maxAttachmentMegabytes}, which is the default`,
    read: orDefault('default', maxAttachmentMegabytes),
  },
  'conversation-megabytes-per-day': {
    metavar: 'N',
    description: `Limit of files in MiB per day (UTC) in one conversation, or default: ${defaultMegabytes.ofConversation}`,
    read: orDefault('default', maxMegabytesPerDay),
  },
  'bot-megabytes-per-day': {
    metavar: 'N',
    description: `Limit of files in MiB per day (UTC) of the bot, or default: ${defaultMegabytes.ofBot}`,
    read: orDefault('default', maxMegabytesPerDay),
  },
} satisfies Options

/** The limits with the given changes; `undefined` if none is given. */
export function changeLimits(given: ValuesOf<typeof limitOptions>, before: BotLimits): BotLimits | undefined {
  const changes = omitUndefined({
    turnsPerDay: given['turns-per-day'],
    turnsPerMinute: given['turns-per-minute'],
    conversationTurnsPerMinute: given['conversation-turns-per-minute'],
    sessionsPerMinute: given['sessions-per-minute'],
    attachmentMegabytes: given['attachment-megabytes'],
    conversationMegabytesPerDay: given['conversation-megabytes-per-day'],
    botMegabytesPerDay: given['bot-megabytes-per-day'],
  })
  if (Object.keys(changes).length === 0) return undefined
  const limits = Object.entries<number | 'default' | undefined>({ ...before, ...changes })
  return Object.fromEntries(limits.filter(([, limit]) => limit !== 'default'))
}

/** Every limit as it is set, by the name of its option. */
export const limitRows = (limits: BotLimits): Record<keyof typeof limitOptions, number | string> => ({
  'turns-per-day': limits.turnsPerDay ?? 'none',
  'turns-per-minute': limits.turnsPerMinute ?? 'default',
  'conversation-turns-per-minute': limits.conversationTurnsPerMinute ?? 'default',
  'sessions-per-minute': limits.sessionsPerMinute ?? 'default',
  'attachment-megabytes': limits.attachmentMegabytes ?? 'default',
  'conversation-megabytes-per-day': limits.conversationMegabytesPerDay ?? 'default',
  'bot-megabytes-per-day': limits.botMegabytesPerDay ?? 'default',
})
