import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChild } from 'preact'
import { useRef } from 'preact/hooks'
import type { Models } from '../core.ts'
import type { Dates } from './dates.ts'
import { Earlier } from './Earlier.tsx'
import { DownIcon } from './icons.tsx'
import { Message } from './Message.tsx'
import { QuickReplies } from './QuickReplies.tsx'
import { transcriptRows } from './rows.ts'
import { useReadingPlace } from './useReadingPlace.ts'
import { useUnread } from './useUnread.ts'

/** What has been said, and where the visitor is in it. */
export function Transcript({ models, dates }: { models: Models; dates: Dates }): ComponentChild {
  const { conversation, session, strings } = models
  const log = useRef<HTMLDivElement>(null)
  const atEnd = useSignal(true)
  const readUntil = useUnread(conversation, atEnd)
  useReadingPlace(log, atEnd, conversation)

  const replyId = useComputed(() => conversation.partial.value?.id)
  const rows = useComputed(() =>
    transcriptRows({
      messages: conversation.messages.value,
      pending: conversation.pending.value,
      replyId: replyId.value,
      now: new Date().toISOString(),
      readUntil: readUntil.value,
    }),
  )
  const complete = conversation.history.value === 'complete'
  const name = conversation.bot.value?.name ?? ''
  return (
    <div class="transcript">
      <div
        class="log"
        part="transcript"
        role="log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard can't scroll.
        tabIndex={0}
        aria-label={strings.transcript}
        aria-busy={replyId.value !== undefined}
        ref={log}
      >
        <div class={complete ? 'lines' : 'lines open'}>
          {session.storageBlocked && <p class="rule">{strings.storageBlocked}</p>}
          <Earlier models={models} />
          {rows.value.map(row =>
            row.kind === 'message' ? (
              <Message key={row.key} row={row} models={models} dates={dates} />
            ) : row.kind === 'day' ? (
              <p key={row.key} class="rule">
                {dates.day(row.at)}
              </p>
            ) : (
              <p key={row.key} class="rule new">
                {strings.newMessages}
              </p>
            ),
          )}
          {conversation.typing.value && replyId.value === undefined && (
            <div class="row first">
              <div class="bubble dots" role="img" aria-label={strings.typing.replace('{name}', () => name)}>
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
          aria-label={conversation.unread.value ? undefined : strings.jumpToLatest}
          onClick={() => {
            atEnd.value = true
          }}
        >
          {conversation.unread.value > 0 && strings.newMessages}
          <DownIcon />
        </button>
      )}
    </div>
  )
}
