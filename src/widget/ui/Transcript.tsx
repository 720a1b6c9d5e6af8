import { computed, type ReadonlySignal, type Signal } from '@preact/signals-core'
import type { JSX } from 'preact'
import type { Models } from '../app/createApp.ts'
import type { StreamingState } from '../models/conversation/conversation.ts'
import { button } from './buttons.tsx'
import { createDates } from './dates.ts'
import { groupMessages, type Row, type TranscriptItem } from './groupMessages.ts'
import { icon } from './icons.tsx'
import { interpolate } from './interpolate.ts'
import { createMessage } from './Message.tsx'
import type { DrawText } from './texts.ts'
import { createMessageWindow, type MessageWindow } from './useMessageWindow.ts'

/** What has been said, and where the visitor is in it: the function that draws it, and which part it draws. */
export function createTranscript(
  models: Models,
  atEnd: Signal<boolean>,
  readUntil: Signal<number | undefined>,
  growing: ReadonlySignal<StreamingState | null>,
  texts: ReadonlySignal<DrawText>,
): [() => JSX.Element, MessageWindow] {
  const { session, conversation } = models
  const { profile: bot } = conversation.botProfile
  const { history, messages } = conversation.messageStore
  const { pending } = conversation.outbox
  const Message = createMessage(models)
  /** Messages up to here were there before: nothing of them is read aloud, however often the visitor scrolls to them. */
  let isSilent = Infinity
  const dates = computed(() => createDates(models.strings))
  const draw = (row: Row) => (
    <Message
      key={row.id}
      row={row}
      name={bot.value?.name}
      draw={texts.value}
      dates={dates.value}
      isSilent={row.author === 'visitor' || (row.seq ?? Infinity) <= isSilent}
    />
  )
  const fromBot = (id: string, text: string, createdAt: string): TranscriptItem => ({
    id,
    author: 'bot',
    text,
    createdAt,
  })
  const replyId = computed(() => growing.value?.id)
  const items = computed(() => {
    const contact = session.contact.value
    const lastSeq = messages.value.at(-1)?.seq ?? 0
    if (history.value === 'more' || history.value === 'complete') isSilent = Math.min(isSilent, lastSeq)
    else if (!lastSeq) isSilent = Infinity
    const hello = contact ? `${interpolate(models.strings.greetContact, contact.name)}\n` : ''
    const greeting = bot.value && history.value === 'complete' ? hello + bot.value.greeting : ''
    const all: TranscriptItem[] = [
      ...(greeting.match(/\S.*/g) ?? []).map(line => fromBot(line, line, '')),
      ...messages.value,
      ...pending.value.map(message => ({ ...message, author: 'visitor' as const })),
    ]
    if (replyId.value) all.push(fromBot(replyId.value, '', new Date().toISOString()))
    return all
  })
  const messageWindow = createMessageWindow(items)
  // Computed, elements and all, so that a growing reply or a scroll draws no other message again.
  const lines = computed(() =>
    groupMessages(items.value, readUntil.value, messageWindow.from.value, messageWindow.to.value).map(draw),
  )

  const tree = () => {
    const { strings } = models
    const reply = growing.value
    const complete = history.value === 'complete'
    const unread = conversation.readState.unread.value > 0
    const last = messages.value.at(-1)
    const atLast = messageWindow.atEnd.value && !reply
    const replies = atLast && !pending.value[0] && (last ?? (complete ? bot.value : null))?.quickReplies
    return (
      <>
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
            {session.isStorageBlocked.value && <p class="rule">{strings.storageBlocked}</p>}
            {history.value === 'failed' ? (
              <p class="rule" role="alert">
                {strings.historyFailed}
                {button(strings.retry, conversation.messageStore.loadOlder)}
              </p>
            ) : (
              !complete &&
              lines.value[0] && (
                <p class="rule">
                  {/* Nothing is on its way where nothing can be reached. */}
                  {history.value === 'loading' && conversation.connection.value !== 'offline' && strings.loadingOlder}
                </p>
              )
            )}
            {lines.value.map(line =>
              // A reply that grows draws itself only; when it is stored, the same nodes stay with its final text.
              line.props.row.text ? line : draw({ ...line.props.row, ...reply }),
            )}
            {atLast && conversation.reply.typing.value && (
              <div class="row first last">
                <div
                  class="bubble dots"
                  role="img"
                  aria-label={interpolate(
                    strings.typing,
                    conversation.reply.typing.value === 'agent' ? strings.agent : (bot.value?.name ?? strings.chat),
                  )}
                >
                  <i />
                  <i />
                  <i />
                </div>
              </div>
            )}
            {replies && (
              <div class="replies">
                {replies.map(text =>
                  button(text, () => conversation.outbox.send(text), { key: text, class: 'reply', dir: 'auto' }),
                )}
              </div>
            )}
          </div>
        </div>
        {!atEnd.value &&
          button(
            [unread && strings.newMessages, icon('M6 9l6 6 6-6')],
            () => {
              atEnd.value = true
            },
            { class: 'jump', 'aria-label': unread ? undefined : strings.jumpToLatest },
          )}
      </>
    )
  }
  return [tree, messageWindow]
}
