import type { JSX } from 'preact'
import { BotPage } from './bots/BotPage.tsx'
import { ConnectionStrip } from './ConnectionStrip.tsx'
import { Conversation } from './conversation/Conversation.tsx'
import { useDesk, useKeys } from './DeskContext.ts'
import { chatPath, Icon } from './Icon.tsx'
import { ConversationList } from './inbox/ConversationList.tsx'
import { NumbersPage } from './numbers/NumbersPage.tsx'
import { Rail } from './Rail.tsx'
import { SavedRepliesPage } from './savedReplies/SavedRepliesPage.tsx'
import { TeamPage } from './team/TeamPage.tsx'

/** The rail, and beside it the panes of the inbox or another page. */
export function Frame(): JSX.Element {
  const { alerts, current, inbox, router, strings } = useDesk()
  const route = router.route.value
  const selectedId = inbox.selectedId.value
  const botId = (route.page === 'bots' && route.botId) || current.bots[0]?.id
  useKeys({
    Escape() {
      const focused = document.activeElement
      const row = document.querySelector<HTMLElement>('a.inbox-row[aria-current]')
      // The first Escape leaves the field, whose text would seem lost otherwise.
      if (!focused?.matches('input, textarea') && selectedId) router.go(inbox.hrefOf(null))
      if (row) row.focus()
      else if (focused instanceof HTMLElement) focused.blur()
    },
  })
  return (
    <div class={selectedId ? 'frame opened' : 'frame'}>
      <ConnectionStrip />
      <Rail />
      {route.page === 'saved' ? (
        <SavedRepliesPage />
      ) : route.page === 'team' && current.member.role === 'admin' ? (
        <TeamPage tab={route.tab} />
      ) : route.page === 'numbers' && current.member.role === 'admin' ? (
        <NumbersPage days={route.days} bot={route.bot} />
      ) : route.page === 'bots' && botId && current.member.role === 'admin' ? (
        <BotPage key={botId} botId={botId} />
      ) : (
        <>
          <ConversationList />
          {selectedId ? (
            <Conversation key={selectedId} id={selectedId} />
          ) : (
            <main class="thread empty">
              <Icon path={chatPath} />
              <p>{strings.inbox.nothingOpen}</p>
            </main>
          )}
        </>
      )}
      <p class="only-read" role="status">
        {alerts.announcement}
      </p>
    </div>
  )
}
