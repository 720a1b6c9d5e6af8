import type { Message } from '../../contract/index.ts'
import type { ConversationEvent } from '../api/eventStream.ts'
import type { MessageStore } from '../conversation/messageStore.ts'
import type { Outbox } from '../conversation/outbox.ts'
import type { ReadState } from '../conversation/readState.ts'
import type { Page, TabChannel } from '../environment/page.ts'

/**
 * What the tabs of a visitor tell each other. Tabs may run different versions of the widget: if you change these types, also
 * change the number in the channel's name, so that tabs of different versions don't talk to each other.
 */
export type TabMessage =
  /** An event of the sender's stream, for tabs without one. */
  | { type: 'event'; event: ConversationEvent }
  /** The platform has stored a message of the visitor. */
  | { type: 'stored'; message: Message }
  /** The sender has changed the stored outbox. */
  | { type: 'outbox' }
  /** The visitor has read up to `seq`. A tab that has just joined asks whether the others know of more. */
  | { type: 'read'; seq: number; asks?: boolean }

interface TabChannelDeps {
  page: Pick<Page, 'openChannel'>
  outbox: Pick<Outbox, 'sync'>
  readState: Pick<ReadState, 'readSeq' | 'markReadUpTo'>
  messageStore: Pick<MessageStore, 'revision'>
  /** Whether this tab has a stream of its own. */
  isLive(): boolean
  onEvent(event: ConversationEvent): void
  onStored(message: Message): void
}

/** Opens the channel to the visitor's other tabs, and takes over what they have changed before. */
export function openTabChannel(name: string, deps: TabChannelDeps): TabChannel<TabMessage> {
  const { page, outbox, readState } = deps

  function onEvent(event: ConversationEvent): void {
    if (deps.isLive()) return
    const { event: name, data } = event
    // The sender may have had earlier changes before this tab could hear of them.
    const isMissingChanges = name === 'message.changed' && data.revision > deps.messageStore.revision() + 1
    deps.onEvent(isMissingChanges ? { event: 'reset', data: {} } : event)
  }

  const sayRead = (asks = false) => channel.post({ type: 'read', seq: readState.readSeq.peek(), asks })

  function onRead(seq: number, asks = false): void {
    const own = readState.readSeq.peek()
    readState.markReadUpTo(seq)
    // If this is news, another tab may have joined since it was sent. Tabs that corrected each other unasked would flood the
    // browser while the visitor reads on.
    if (seq > own || (asks && seq < own)) sayRead()
  }

  const channel = page.openChannel<TabMessage>(name, message => {
    if (message.type === 'event') onEvent(message.event)
    else if (message.type === 'stored') deps.onStored(message.message)
    else if (message.type === 'outbox') void outbox.sync()
    else onRead(message.seq, message.asks)
  })
  sayRead(true)
  channel.post({ type: 'outbox' })
  void outbox.sync()
  return channel
}
