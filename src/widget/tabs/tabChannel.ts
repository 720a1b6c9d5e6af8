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
  /** The visitor has read messages in the sender. */
  | { type: 'read'; seq: number }
  /** The sender has opened the channel. It may have changed the stored outbox before. Tabs where more has been read answer. */
  | { type: 'joined'; readSeq: number }

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

  // Says only what is new to this tab: tabs that corrected each other would flood the browser while the visitor reads on.
  function onRead(seq: number): void {
    if (seq <= readState.readSeq.peek()) return
    readState.markReadUpTo(seq)
    // Another tab may have joined since this was sent.
    channel.post({ type: 'read', seq })
  }

  function onJoined(readSeq: number): void {
    const own = readState.readSeq.peek()
    if (own > readSeq) channel.post({ type: 'read', seq: own })
    else onRead(readSeq)
    void outbox.sync()
  }

  const channel = page.openChannel<TabMessage>(name, message => {
    if (message.type === 'event') onEvent(message.event)
    else if (message.type === 'stored') deps.onStored(message.message)
    else if (message.type === 'outbox') void outbox.sync()
    else if (message.type === 'read') onRead(message.seq)
    else onJoined(message.readSeq)
  })
  channel.post({ type: 'joined', readSeq: readState.readSeq.peek() })
  void outbox.sync()
  return channel
}
