import type { Clock } from '../clock.ts'
import type { Bot } from '../store/store.ts'
import { botTextsIn } from '../texts/botTexts.ts'
import { createId } from './ids.ts'
import { timestamp } from './time.ts'

/** A new bot, with defaults for every setting that `settings` leaves out. It is not stored yet. */
export function createBotRow(
  settings: Pick<Bot, 'organizationId' | 'name'> & Partial<Bot>,
  clock: Pick<Clock, 'now'>,
): Bot {
  const now = clock.now()
  return {
    id: createId(now),
    subtitle: '',
    avatar: '',
    greeting: botTextsIn(settings.locale ?? '').greeting,
    quickReplies: [],
    accent: '',
    locale: 'en',
    images: false,
    handover: false,
    ratings: false,
    attachments: false,
    visitors: 'everyone',
    origins: [],
    responder: { kind: 'faq' },
    events: null,
    limits: {},
    texts: {},
    createdAt: timestamp(now),
    ...settings,
  }
}
