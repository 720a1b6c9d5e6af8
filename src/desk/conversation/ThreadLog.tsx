import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Message } from '../../contract/index.ts'
import { chevronPath } from '../../widget/styles/chevronPath.ts'
import { useIsInView } from '../../widget/ui/hooks/reading.ts'
import { useMessageWindow, useScrollAnchor } from '../../widget/ui/hooks/scrolling.ts'
import { useDesk } from '../DeskContext.ts'
import { ConfirmDialog } from '../Dialog.tsx'
import { Icon } from '../Icon.tsx'
import { interpolate } from '../i18n/format.ts'
import { useConversation, useConversationTexts, useVisitorName } from './ConversationContext.ts'
import { ThreadRow } from './ThreadRow.tsx'
import { groupItems, isNote, isUnsent, type TimelineItem } from './timeline.ts'

/** Messages and notes, in a log that follows its end. */
export function ThreadLog(): JSX.Element {
  const { presence } = useDesk()
  const { thread } = useConversation()
  const texts = useConversationTexts()
  const name = useVisitorName()
  const log = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const isAtEnd = useSignal(true)
  const isLoaded = useSignal(true)
  const isEndInView = useIsInView(end, true)
  const removing = useSignal<Message | null>(null)
  const messageWindow = useMessageWindow(thread.items)
  useScrollAnchor(log, isAtEnd, messageWindow, thread, isLoaded)
  const { from, to } = messageWindow
  const rows = useComputed(() => groupItems(thread.items.value, from.value, to.value))
  /** The team's last message, below which its receipt stands. */
  const last = useComputed(() => thread.items.value.findLast(isTeams))

  const [openedAt] = useState(() => thread.items.peek().at(-1)?.createdAt ?? '')
  const isSilent = (item: TimelineItem) =>
    item.createdAt <= openedAt || (isNote(item) ? item.author.id : item.memberId) === thread.me.id

  const markVisible = () => {
    if (isAtEnd.peek() && isEndInView.peek() && presence.isHere.peek() && !document.hidden) thread.markSeen()
  }
  useSignalEffect(() => {
    void [thread.items.value, thread.conversation.value, isAtEnd.value, isEndInView.value, presence.isHere.value]
    markVisible()
  })
  useLayoutEffect(() => {
    document.addEventListener('visibilitychange', markVisible)
    return () => document.removeEventListener('visibilitychange', markVisible)
  }, [])
  // What the member writes itself is shown.
  const unsentCount = useComputed(() => thread.items.value.filter(isUnsent).length)
  useSignalEffect(() => {
    if (unsentCount.value > 0) isAtEnd.value = true
  })

  const receiptOf = (item: TimelineItem) =>
    item === last.value && 'seq' in item ? (item.seq <= thread.conversation.value.readSeq ? 'read' : 'sent') : undefined

  return (
    <>
      <div
        class="log"
        role="log"
        ref={log}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard can't scroll.
        tabIndex={0}
        aria-label={interpolate(texts.log, { name })}
        onKeyDown={moveBetweenMessages}
      >
        <div class="messages">
          <HistoryStatus />
          {rows.value.map(row => (
            <ThreadRow
              key={row.item.id}
              {...row}
              receipt={receiptOf(row.item)}
              isSilent={isSilent(row.item)}
              onRemove={message => {
                removing.value = message
              }}
            />
          ))}
          {thread.typists.value.includes(null) && (
            <p class="message visitor typing">
              <span class="bubble dots" aria-hidden="true">
                <i />
                <i />
                <i />
              </span>
              <span class="only-read">{interpolate(texts.visitorTypes, { name })}</span>
            </p>
          )}
        </div>
      </div>
      <div ref={end} class="pill-place">
        {!isAtEnd.value && (
          <button
            type="button"
            class="button pill"
            aria-label={thread.conversation.value.unseen > 0 ? undefined : texts.jump}
            onClick={() => {
              isAtEnd.value = true
            }}
          >
            {thread.conversation.value.unseen > 0 && texts.newBelow}
            <Icon path={chevronPath} />
          </button>
        )}
      </div>
      {removing.value && (
        <ConfirmDialog
          title={texts.removeAsk}
          hint={texts.removeHint}
          confirm={texts.removeConfirm}
          onConfirm={() => {
            if (removing.value) void thread.removeMessage(removing.value.id)
          }}
          onClose={() => {
            removing.value = null
          }}
        />
      )}
    </>
  )
}

const isTeams = (item: TimelineItem) =>
  !isNote(item) && !isUnsent(item) && item.author === 'agent' && !item.event && !item.removedAt

/** Moves the focus to the message before or after, so that its buttons can be reached. */
function moveBetweenMessages(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const { key, currentTarget, target } = event
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return
  const messages = [...currentTarget.querySelectorAll<HTMLElement>('article[tabindex]')]
  const index = messages.findIndex(message => message.contains(target as Node))
  const next = index < 0 ? messages.at(-1) : messages[index + (key === 'ArrowUp' ? -1 : 1)]
  if (!next || (index < 0 && key === 'ArrowDown')) return
  event.preventDefault()
  next.focus()
}

/** Above the first loaded message: earlier ones are loading, or could not be loaded. */
function HistoryStatus(): JSX.Element | null {
  const { strings } = useDesk()
  const { thread } = useConversation()
  const texts = useConversationTexts()
  const history = thread.history.value
  if (history === 'complete') return null
  // An empty line is rendered nevertheless, so that the messages don't move.
  return (
    <p class="notice" role={history === 'failed' ? 'alert' : undefined}>
      {history === 'loading' && texts.loadingOlder}
      {history === 'failed' && (
        <>
          {texts.olderFailed}{' '}
          <button type="button" class="link" onClick={thread.loadOlder}>
            {strings.app.retry}
          </button>
        </>
      )}
    </p>
  )
}
