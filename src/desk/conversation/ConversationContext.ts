import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { DeskBot } from '../../contract/desk.ts'
import type { Dates } from '../../widget/ui/dates.ts'
import { useDesk } from '../DeskContext.ts'
import type { Strings } from '../i18n/en.ts'
import type { Thread } from './thread.ts'

interface Opened {
  thread: Thread
  bot: DeskBot | undefined
  dates: Dates
}

/** Provides the opened conversation to its components. */
export const ConversationContext = createContext<Opened | null>(null)

export function useConversation(): Opened {
  const opened = useContext(ConversationContext)
  if (!opened) throw new Error('useConversation() needs a <ConversationContext.Provider> above the component')
  return opened
}

export const useStrings = (): Strings['conversation'] => useDesk().strings.conversation

/** The name of the visitor. */
export function useVisitorName(): string {
  const strings = useStrings()
  return useConversation().thread.conversation.value.contact?.name ?? strings.guest
}
