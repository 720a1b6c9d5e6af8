import type { JSX } from 'preact'
import type { AuditEntry, AuditPage } from '../../contract/desk.ts'
import { useDesk } from '../DeskContext.ts'
import { Loaded, useLoadable } from '../Loaded.tsx'
import type { Loadable } from '../loadable.ts'
import { conversationHref } from '../router.ts'

/** What the team has done, newest first. */
export function AuditList(): JSX.Element {
  const { api, strings } = useDesk()
  const texts = strings.team
  /** Loads a further page each time. */
  const list: Loadable<AuditPage> = useLoadable(async () => {
    const shown = list.data.peek()
    const page = await api.get<'listAudit'>('/audit', { after: shown?.next })
    return { data: { ...page, data: [...(shown?.data ?? []), ...page.data] } }
  })
  return (
    <>
      <header class="page-header">
        <h1>{texts.audit}</h1>
        <p class="meta">{texts.auditHint}</p>
      </header>
      <Loaded from={list}>
        {page => (
          <>
            <ul class="rows">
              {page.data.length === 0 && <li>{texts.auditEmpty}</li>}
              {page.data.map(entry => (
                <AuditRow key={entry.id} entry={entry} />
              ))}
            </ul>
            {page.next && (
              <button type="button" class="button" onClick={list.load}>
                {strings.app.more}
              </button>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

function AuditRow({ entry }: { entry: AuditEntry }): JSX.Element {
  const { format, strings } = useDesk()
  const texts = strings.team
  const { event, member, about, conversationId, contactId, contactName, createdAt } = entry
  const isErased = contactId !== null && contactName === null
  const contact = contactName ?? (isErased ? texts.erased : texts.guest)
  const isOwn = event === 'erased_by_visitor'
  return (
    <li>
      <time class="meta" dateTime={createdAt}>
        {format.dateTime(createdAt)}
      </time>
      <b>
        <bdi>{isOwn ? contact : (member?.name ?? texts.commandLine)}</bdi>
      </b>
      <span>{texts.events[event]}</span>
      {conversationId && !isErased ? (
        <a href={conversationHref(conversationId, 'all')}>
          <bdi>{contact}</bdi>
        </a>
      ) : (
        <bdi>{about ?? (contactId && !isOwn && contact)}</bdi>
      )}
    </li>
  )
}
