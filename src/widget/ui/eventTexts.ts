import type { ConversationEventName } from '../../contract/index.ts'
import type { Strings } from '../i18n/en.ts'

/** The texts of the events of a conversation. The platform may know more events: they are not shown. */
const texts = {
  handed_back: 'handedBack',
  handover_requested: 'handoverRequested',
  handover_expired: 'handoverExpired',
} as const satisfies Record<ConversationEventName, keyof Strings>

export const eventTexts: ReadonlyMap<string, (typeof texts)[ConversationEventName]> = new Map(Object.entries(texts))
