import type { ComponentChild } from 'preact'
import type { ConversationModel } from '../state/conversation.ts'

/** Answers to pick: the bot's own while nothing has been said, then those of the last message. */
export function QuickReplies({ conversation }: { conversation: ConversationModel }): ComponentChild {
  const { bot, history, messages, pending, partial } = conversation
  if (pending.value.length || partial.value || history.value !== 'complete') return null
  const last = messages.value.at(-1)
  const replies = last ? last.quickReplies : bot.value?.quickReplies
  return (
    replies && (
      <div class="replies">
        {replies.map(reply => (
          <button key={reply} type="button" dir="auto" onClick={() => conversation.send(reply)}>
            {reply}
          </button>
        ))}
      </div>
    )
  )
}
