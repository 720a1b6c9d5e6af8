import type { JSX } from 'preact'
import type { AuditEntry, AuditPage } from '../../contract/desk.ts'
import { useDesk } from '../DeskContext.ts'
import { Loaded, useLoadable } from '../Loaded.tsx'
import { conversationHref } from '../router.ts'

/** What the team has done, newest first. */
export function AuditList(): JSX.Element {
  const { api, strings } = useDesk()
  const texts = strings.team
  const load = (after?: string | null) => api.get<'listAudit'>('/audit', { after })
  const list = useLoadable<AuditPage>(async () => ({ data: await load() }))
  const loadMore = async (shown: AuditPage) => {
    const page = await load(shown.next).catch(() => null)
    list.state.value = page ? { data: { ...page, data: [...shown.data, ...page.data] } } : 'failed'
  }
  return (
    <>
      <header class="page-header">
        <h1>{texts.audit}</h1>
        <p class="meta">{texts.auditHint}</p>
      </header>
      <Loaded from={list}>
        {page => (
          <>
            <ul>
              {page.data.length === 0 && <li>{texts.auditEmpty}</li>}
              {page.data.map(entry => (
                <AuditRow key={entry.id} entry={entry} />
              ))}
            </ul>
            {page.next && (
              <button type="button" class="button" onClick={() => loadMore(page)}>
                {texts.more}
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
  return (
    <li class="audit-row">
      <time class="meta" dateTime={createdAt}>
        {format.dateTime(createdAt)}
      </time>
      <b>
        <bdi>{member?.name ?? texts.commandLine}</bdi>
      </b>
      <span>{texts.events[event]}</span>
      {conversationId && !isErased ? (
        <a href={conversationHref(conversationId, 'all')}>
          <bdi>{contact}</bdi>
        </a>
      ) : (
        <bdi>{about ?? (contactId && contact)}</bdi>
      )}
    </li>
  )
}
