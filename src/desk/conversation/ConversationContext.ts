import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { DeskBot } from '../../contract/desk.ts'
import { useDesk } from '../DeskContext.ts'
import type { Strings } from '../i18n/locales/en.ts'
import type { Thread } from './thread.ts'

interface ShownConversation {
  thread: Thread
  bot: DeskBot | undefined
}

/** Provides the shown conversation to its components. */
export const ConversationContext = createContext<ShownConversation | null>(null)

export function useConversation(): ShownConversation {
  const shown = useContext(ConversationContext)
  if (!shown) throw new Error('useConversation() needs a <ConversationContext.Provider> above the component')
  return shown
}

export const useConversationTexts = (): Strings['conversation'] => useDesk().strings.conversation

/** The name of the visitor. */
export function useVisitorName(): string {
  const { strings } = useDesk()
  return useConversation().thread.conversation.value.contact?.name ?? strings.inbox.guest
}
