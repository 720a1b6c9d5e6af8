import type { Sender } from '../../../contract/index.ts'
import { useStrings, useWidget } from '../WidgetContext.ts'

/** Whom the visitor talks to: the team member who spoke last, or else the bot. */
export function useChatPartner(): Sender {
  const { conversation, signIn } = useWidget()
  const strings = useStrings()
  const profile = conversation.botProfile.profile.value
  // Also who has answered is part of a conversation, which nobody may see until it is known whose it is.
  const messages = signIn.isViewHidden.value ? [] : conversation.messageStore.messages.value
  const sender = messages.findLast(({ author }) => author !== 'visitor')?.sender
  return sender ?? { name: profile?.name ?? strings.chat, ...(profile && { avatar: profile.avatar }) }
}
