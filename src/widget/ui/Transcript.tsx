import { effect, type Signal, useComputed, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { PendingMessage } from '../conversation/conversation.ts'
import { chevronPath } from '../styles/chevronPath.ts'
import type { Dates } from './dates.ts'
import { Icon, LiveText, Placeholder, RetryAlert } from './elements.tsx'
import { findTakeovers, groupMessages, lastOfTeam } from './groupMessages.ts'
import { useHasListChanged, useIsInView, useReadTracking, useSilentUpTo } from './hooks/reading.ts'
import { useMessageWindow, useScrollAnchor } from './hooks/scrolling.ts'
import { useTranscriptItems } from './hooks/useTranscriptItems.ts'
import { useLazyPart } from './LazyPartsContext.ts'
import { MessageRow } from './MessageRow.tsx'
import { QuickReplies } from './QuickReplies.tsx'
import { TypingIndicator } from './Typing.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

// The rest of the chunk that comes right after the panel.
export { default as styles } from '../styles/transcript.css?inline'
export { followBotAccent } from './accentColors.ts'
export { createCoveredPage } from './coveredPage.ts'
export { DraftLimit } from './DraftLimit.tsx'
export { createLazyDates } from './dates.ts'
export { Notices } from './Notices.tsx'
export { StopButton } from './StopButton.tsx'
export { TeamBack } from './TeamBack.tsx'

export function Transcript({ dates }: { dates: Dates }): JSX.Element {
  const { session, conversation } = useWidget()
  const { botProfile, messageStore, reply, connection } = conversation
  const strings = useStrings()
  const log = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const isAtEnd = useSignal(true)
  // The divider "New messages" is shown after the message with this seq.
  const readUpTo = useSignal<number | undefined>(undefined)
  const items = useTranscriptItems()
  const messageWindow = useMessageWindow(items)
  const rows = useComputed(() =>
    groupMessages(items.value, {
      readUpTo: readUpTo.value,
      takeovers: findTakeovers(items.value, messageStore.history.value === 'complete'),
      from: messageWindow.from.value,
      to: messageWindow.to.value,
    }),
  )
  const EmailForm = useLazyPart('more')?.EmailForm
  const hasListChanged = useHasListChanged(items)
  const isStreaming = useComputed(() => reply.streaming.value !== null)
  const silentUpTo = useSilentUpTo(messageStore)
  const isLoaded = useComputed(() => silentUpTo.value < Infinity)
  // After the scroll position has been set.
  const isEndInView = useIsInView(end, isLoaded.value)
  useReadTracking(conversation, { isLoaded, isAtEnd, isEndInView, readUpTo })
  useScrollAnchor(log, isAtEnd, messageWindow, messageStore, isLoaded)

  const history = messageStore.history.value
  const profile = botProfile.profile.value
  const isIdentifying = session.status.value === 'identifying'
  const isEmpty = rows.value.length === 0
  const isLoading = (history === 'loading' || botProfile.status.value === 'loading') && connection.value !== 'offline'
  const last = lastOfTeam(items.value)
  const isLastMounted = messageWindow.isAtEnd.value && !isStreaming.value
  return (
    <>
      <div
        class="log"
        part="transcript"
        role="log"
        ref={log}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard can't scroll.
        tabIndex={0}
        aria-label={strings.transcript}
        // While somebody signs in the greeting stays, and is not read again.
        aria-live={isIdentifying ? 'off' : undefined}
        aria-busy={isStreaming.value}
      >
        <div class={history === 'complete' || isIdentifying ? 'lines' : 'lines open'}>
          {session.isStorageBlocked.value && !session.contact.value && <p class="rule">{strings.storageBlocked}</p>}
          <HistoryStatus hasRows={rows.value.some(({ item }) => item.createdAt !== '')} />
          {rows.value.map(row => (
            <MessageRow
              key={row.item.id}
              {...row}
              botName={profile?.name}
              botLocale={profile?.locale}
              hasRatings={!!profile?.ratings}
              dates={dates}
              hasListChanged={hasListChanged}
              awaitsPerson={row.item === last && last.event === 'handover_requested'}
              isSilent={row.item.author === 'visitor' || (row.item.seq ?? Infinity) <= silentUpTo.value}
            />
          ))}
          {isLastMounted && <HandoverStatus />}
          {isLastMounted && EmailForm && <EmailForm />}
          {isLastMounted && <TypingIndicator />}
          {isLastMounted && <QuickReplies />}
        </div>
        {isEmpty && isLoading && <Placeholder />}
      </div>
      <div ref={end} />
      <FailureAnnouncement />
      <JumpButton isAtEnd={isAtEnd} />
    </>
  )
}

/**
 * Shown above the first loaded message: older messages are loading, or could not be loaded. Without any message it is alone
 * in the transcript.
 */
function HistoryStatus({ hasRows }: { hasRows: boolean }): JSX.Element | null {
  const { messageStore, connection } = useWidget().conversation
  const strings = useStrings()
  const history = messageStore.history.value
  if (history === 'failed' && !hasRows) {
    return (
      <div class="failure" role="alert">
        <p>{strings.historyFailed}</p>
        <button type="button" onClick={messageStore.loadOlder}>
          {strings.retry}
        </button>
      </div>
    )
  }
  if (history === 'failed') return <RetryAlert text={strings.historyFailed} onRetry={messageStore.loadOlder} />
  if (history === 'complete' || !hasRows) return null
  // Nothing loads while offline. An empty line is rendered nevertheless, so that the messages don't move.
  const isLoading = history === 'loading' && connection.value !== 'offline'
  return (
    <p class="rule">
      <LiveText text={isLoading && strings.loadingOlder} />
    </p>
  )
}

function JumpButton({ isAtEnd }: { isAtEnd: Signal<boolean> }): JSX.Element | null {
  const strings = useStrings()
  const hasUnread = useWidget().conversation.readState.unread.value > 0
  if (isAtEnd.value) return null
  const jump = () => {
    isAtEnd.value = true
  }
  return (
    <div class="jump-place">
      <button type="button" class="jump" aria-label={hasUnread ? undefined : strings.jumpToLatest} onClick={jump}>
        <LiveText text={hasUnread && strings.newMessages} />
        <Icon path={chevronPath} />
      </button>
    </div>
  )
}

/** How many code points of the failed message are announced, to identify it. */
const announcedLength = 80

/**
 * Announces each message that could not be sent to screen readers. The row of the message is not a live region, because
 * scrolling mounts rows again, which would announce them again.
 */
function FailureAnnouncement(): JSX.Element {
  const { pending } = useWidget().conversation.outbox
  const strings = useStrings()
  const announced = useSignal<PendingMessage | undefined>(undefined)
  useLayoutEffect(() => {
    let known = failedIn(pending.peek())
    return effect(() => {
      const failed = failedIn(pending.value)
      const isKnown = ({ id }: PendingMessage) => known.some(message => message.id === id)
      const isAnnounced = ({ id }: PendingMessage) => id === announced.peek()?.id
      // Clear the text when the message no longer has failed, so that another failure of it is announced, too.
      announced.value = failed.findLast(message => !isKnown(message)) ?? failed.find(isAnnounced)
      known = failed
    })
  }, [])
  const message = announced.value
  const text = message?.text || message?.files?.map(({ name }) => name).join(', ')
  return (
    <p class="aloud" role="alert">
      <LiveText text={text && `${strings.failed} ${[...text].slice(0, announcedLength).join('')}`} />
    </p>
  )
}

const failedIn = (messages: readonly PendingMessage[]) => messages.filter(({ status }) => status === 'failed')

/** What becomes of the visitor's request for a person, until the platform has it. */
function HandoverStatus(): JSX.Element | null {
  const { handoverRequest, connection } = useWidget().conversation
  const strings = useStrings()
  const status = handoverRequest.status.value
  if (status === 'none') return null
  const text = status === 'failed' ? strings.failed : connection.value === 'offline' ? strings.waiting : strings.sending
  const line = `${strings.talkToPerson} · ${text}`
  return status === 'failed' ? <RetryAlert text={line} onRetry={handoverRequest.send} /> : <p class="rule">{line}</p>
}
