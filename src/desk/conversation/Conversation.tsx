import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { useDesk, useKeys } from '../DeskContext.ts'
import { Composer } from './Composer.tsx'
import { ConversationContext, useConversation, useConversationTexts } from './ConversationContext.ts'
import { PersonPane } from './PersonPane.tsx'
import { ThreadHeader } from './ThreadHeader.tsx'
import { ThreadLog } from './ThreadLog.tsx'
import type { Thread } from './thread.ts'

/** The opened conversation: its thread and its person. */
export function Conversation({ id }: { id: string }): JSX.Element {
  const { conversations, strings } = useDesk()
  const texts = strings.conversation
  const open = conversations.current.value
  const state = open?.id === id ? open.state.value : { kind: 'loading' as const }
  if (state.kind === 'ready') return <Opened thread={state.thread} />
  return (
    <main class="thread empty" aria-busy={state.kind === 'loading'}>
      {state.kind === 'loading' && <p role="status">{texts.loading}</p>}
      {state.kind === 'missing' && <h2>{texts.missing}</h2>}
      {state.kind === 'failed' && (
        <div role="alert">
          <h2>{texts.loadFailed}</h2>
          <button type="button" class="button" onClick={() => void open?.load()}>
            {strings.app.retry}
          </button>
        </div>
      )}
    </main>
  )
}

function Opened({ thread }: { thread: Thread }): JSX.Element {
  const { current } = useDesk()
  const shown = useMemo(() => {
    const { botId } = thread.conversation.peek()
    return { thread, bot: current.bots.find(({ id }) => id === botId) }
  }, [thread])
  return (
    <ConversationContext.Provider value={shown}>
      <Panes />
    </ConversationContext.Provider>
  )
}

function Panes(): JSX.Element {
  const { inbox } = useDesk()
  const { thread, bot } = useConversation()
  const texts = useConversationTexts()
  const isPersonShown = useSignal(false)

  /** Whether another member has it: a key takes nothing from them. */
  const isOthers = () => {
    const { assignee } = thread.conversation.peek()
    return assignee !== null && assignee.id !== thread.me.id
  }
  const takeOver = () => {
    const { assignee, state } = thread.conversation.peek()
    if (!assignee && state !== 'closed') void thread.claim(null)
  }
  const closeAndOpenNext = async () => {
    if (await thread.close()) inbox.openNext(thread.conversation.peek().id)
  }
  const hidePerson = () => {
    isPersonShown.value = false
  }
  useKeys({
    ...(isPersonShown.value && { Escape: hidePerson }),
    r: () => thread.write('reply'),
    n: () => thread.write('note'),
    a: takeOver,
    h: () => {
      const isMine = thread.conversation.peek().assignee?.id === thread.me.id
      if (isMine && bot?.hasResponder) void thread.handBack()
    },
    e: () => {
      if (thread.conversation.peek().state !== 'closed') {
        if (!isOthers()) void closeAndOpenNext()
      } else if (!thread.person.peek().isBlocked) void thread.reopen()
    },
    'Mod+Enter': () => {
      if (!thread.send() && thread.mode.peek() === 'reply') takeOver()
    },
  })
  return (
    <>
      <main class="thread" aria-label={texts.thread}>
        <ThreadHeader
          isPersonShown={isPersonShown.value}
          onTogglePerson={() => {
            isPersonShown.value = !isPersonShown.value
          }}
        />
        <ThreadLog />
        <Composer />
      </main>
      <PersonPane isOpen={isPersonShown.value} onClose={hidePerson} />
    </>
  )
}
