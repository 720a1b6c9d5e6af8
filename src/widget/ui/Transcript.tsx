import { computed, type Signal } from '@preact/signals-core'
import type { JSX } from 'preact'
import type { Models } from '../core.ts'
import { linkButton } from './buttons.tsx'
import type { Dates } from './dates.ts'
import { fill } from './fill.ts'
import { icon } from './icons.tsx'
import { Message } from './Message.tsx'
import { transcriptRows } from './rows.ts'

/** What has been said, and where the visitor is in it. Gives the function that draws it. */
export function createTranscript(
  models: Models,
  dates: Dates,
  atEnd: Signal<boolean>,
  readUntil: Signal<number | undefined>,
): () => JSX.Element {
  const { session, conversation, strings } = models
  const { bot, history, messages, pending, partial } = conversation
  const replyId = computed(() => partial.value?.id)
  // Computed, elements and all, so that a growing reply or a scroll draws no other message again.
  const lines = computed(() => {
    const contact = session.contact.value
    const name = bot.value?.name
    const hello = contact ? `${fill(strings.greetContact, contact.name)}\n` : ''
    return transcriptRows({
      greeting:
        bot.value && history.value === 'complete'
          ? (hello + bot.value.greeting).split('\n').filter(line => line.trim())
          : [],
      messages: messages.value,
      pending: pending.value,
      replyId: replyId.value,
      now: new Date().toISOString(),
      readUntil: readUntil.value,
    }).map(row => <Message key={row.key} row={row} name={name} models={models} dates={dates} />)
  })

  return () => {
    const reply = partial.value
    const complete = history.value === 'complete'
    // Nothing is on its way where nothing can be reached.
    const loading = history.value === 'loading' && conversation.connection.value !== 'offline'
    const unread = conversation.unread.value > 0
    const last = messages.value.at(-1)
    const replies = complete && !pending.value[0] && !reply && (last ? last.quickReplies : bot.value?.quickReplies)
    return (
      <div class="transcript">
        <div
          class="log"
          part="transcript"
          role="log"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard can't scroll.
          tabIndex={0}
          aria-label={strings.transcript}
          aria-busy={!!reply}
        >
          <div class={complete ? 'lines' : 'lines open'}>
            {session.storageBlocked && <p class="rule">{strings.storageBlocked}</p>}
            {history.value === 'failed' ? (
              <p class="rule" role="alert">
                {strings.historyFailed}
                {linkButton(strings.retry, conversation.loadOlder)}
              </p>
            ) : (
              !complete && lines.value[0] && <p class="rule">{loading && strings.loadingOlder}</p>
            )}
            {lines.value.map(line =>
              // A reply that grows draws itself only; when it is stored, the same nodes stay with its final text.
              line.props.row.text ? (
                line
              ) : (
                <Message {...line.props} key={line.key} row={{ ...line.props.row, text: reply?.text ?? '' }} />
              ),
            )}
            {conversation.typing.value && !reply && (
              <div class="row first last">
                <div class="bubble dots" role="img" aria-label={fill(strings.typing, bot.value?.name ?? strings.chat)}>
                  <i />
                  <i />
                  <i />
                </div>
              </div>
            )}
            {replies && (
              <div class="replies">
                {replies.map(text => (
                  <button key={text} type="button" dir="auto" onClick={() => conversation.send(text)}>
                    {text}
                  </button>
                ))}
              </div>
            )}
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
            {unread && strings.newMessages}
            {icon('M6 9l6 6 6-6')}
          </button>
        )}
      </div>
    )
  }
}
