import type { Sender } from '../../../contract/index.ts'
import { useStrings, useWidget } from '../WidgetContext.ts'

/** Who answers at the moment. */
interface ChatPartner extends Sender {
  /** The bot's name, if a team member answers in its place. */
  botName?: string | undefined
}

/** Returns the team member who wrote last, else the bot. */
export function useChatPartner(): ChatPartner {
  const { conversation, signIn } = useWidget()
  const strings = useStrings()
  const profile = conversation.botProfile.profile.value
  // The sender is a part of the conversation, which must stay hidden until it is known whose it is.
  const messages = signIn.isViewHidden.value ? [] : conversation.messageStore.messages.value
  const sender = messages.findLast(({ author }) => author !== 'visitor')?.sender
  if (sender) return { ...sender, botName: profile?.name }
  return { name: profile?.name ?? strings.chat, ...(profile && { avatar: profile.avatar }) }
}
