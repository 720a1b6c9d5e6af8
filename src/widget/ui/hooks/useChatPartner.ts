import type { Sender } from '../../../contract/index.ts'
import { useStrings, useWidget } from '../WidgetContext.ts'

/** Returns name and avatar of the team member who wrote last, else of the bot. */
export function useChatPartner(): Sender {
  const { conversation, signIn } = useWidget()
  const strings = useStrings()
  const profile = conversation.botProfile.profile.value
  // The sender is a part of the conversation, which must stay hidden until it is known whose it is.
  const messages = signIn.isViewHidden.value ? [] : conversation.messageStore.messages.value
  const sender = messages.findLast(({ author }) => author !== 'visitor')?.sender
  return sender ?? { name: profile?.name ?? strings.chat, ...(profile && { avatar: profile.avatar }) }
}
