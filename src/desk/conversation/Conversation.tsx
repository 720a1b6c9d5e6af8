import type { JSX } from 'preact'

/** The opened conversation: its thread and its person. */
export function Conversation({ id }: { id: string }): JSX.Element {
  return <section class="thread">{id}</section>
}
