import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChild } from 'preact'
import { useRef } from 'preact/hooks'
import type { Models } from '../core.ts'
import type { Dates } from './dates.ts'
import { fill } from './fill.ts'
import { DownIcon } from './icons.tsx'
import { Message } from './Message.tsx'
import { QuickReplies } from './QuickReplies.tsx'
import { transcriptRows } from './rows.ts'
import { useReadingPlace } from './useReadingPlace.ts'
import { useUnread } from './useUnread.ts'

/** What has been said, and where the visitor is in it. */
export function Transcript({ models, dates }: { models: Models; dates: Dates }): ComponentChild {
  const { session, conversation, strings } = models
  const log = useRef<HTMLDivElement>(null)
  const atEnd = useSignal(true)
  const readUntil = useUnread(conversation, atEnd)
  useReadingPlace(log, atEnd, conversation)

  const replyId = useComputed(() => conversation.partial.value?.id)
  // Computed, so that a growing reply or a scroll draws no message again.
  const rows = useComputed(() => {
    const contact = session.contact.value
    const hello = contact ? `${fill(strings.greetContact, contact.name)}\n` : ''
    const bot = conversation.history.value === 'complete' && conversation.bot.value
    return transcriptRows({
      greeting: bot ? (hello + bot.greeting).split('\n').filter(line => line.trim()) : [],
      messages: conversation.messages.value,
      pending: conversation.pending.value,
      replyId: replyId.value,
      now: new Date().toISOString(),
      readUntil: readUntil.value,
    })
  }).value
  const history = conversation.history.value
  const unread = conversation.unread.value
  // Nothing is on its way where nothing can be reached.
  const loading = history === 'loading' && conversation.connection.value !== 'offline'
  return (
    <div class="transcript">
      <div
        class="log"
        part="transcript"
        role="log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard can't scroll.
        tabIndex={0}
        aria-label={strings.transcript}
        aria-busy={!!replyId.value}
        ref={log}
      >
        <div class={history === 'complete' ? 'lines' : 'lines open'}>
          {session.storageBlocked && <p class="rule">{strings.storageBlocked}</p>}
          {history === 'failed' ? (
            <p class="rule" role="alert">
              {strings.historyFailed}
              <button type="button" class="link" onClick={() => conversation.loadOlder()}>
                {strings.retry}
              </button>
            </p>
          ) : rows[0] ? (
            history !== 'complete' && <p class="rule">{loading && strings.loadingOlder}</p>
          ) : (
            (loading || conversation.botStatus.value === 'loading') && (
              <div class="skeleton" aria-hidden="true">
                <i class="bubble" />
                <i class="bubble" />
              </div>
            )
          )}
          {rows.map(row => (
            <Message key={row.key} row={row} models={models} dates={dates} />
          ))}
          {conversation.typing.value && !replyId.value && (
            <div class="row first last">
              <div
                class="bubble dots"
                role="img"
                aria-label={fill(strings.typing, conversation.bot.value?.name ?? strings.chat)}
              >
                <i />
                <i />
                <i />
              </div>
            </div>
          )}
          <QuickReplies conversation={conversation} />
        </div>
      </div>
      {!atEnd.value && (
        <button
          type="button"
          class="jump"
          aria-label={unread ? undefined : strings.jumpToLatest}
          onClick={() => {
            atEnd.value = true
          }}
        >
          {unread > 0 && strings.newMessages}
          <DownIcon />
        </button>
      )}
    </div>
  )
}
