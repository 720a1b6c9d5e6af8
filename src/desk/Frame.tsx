import type { JSX } from 'preact'
import { Conversation } from './conversation/Conversation.tsx'
import { useDesk } from './DeskContext.ts'

/** The panes: rail, list, and the opened conversation with its person. */
export function Frame(): JSX.Element {
  const { inbox } = useDesk()
  const id = inbox.selectedId.value
  return <div class="frame">{id && <Conversation key={id} id={id} />}</div>
}
