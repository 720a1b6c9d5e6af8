import type { ConversationModel } from './state/conversation.ts'
import type { PanelModel } from './state/panel.ts'
import type { SessionModel } from './state/session.ts'
import type { Strings } from './strings/en.ts'

/** What the panel draws from. */
export interface Models {
  session: SessionModel
  conversation: ConversationModel
  panel: PanelModel
  strings: Strings
  /** `#rrggbb` that the site set; without it the bot's own counts. */
  accent: string | undefined
}
