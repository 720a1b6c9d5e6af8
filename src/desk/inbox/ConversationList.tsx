import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useDesk, useKeys } from '../DeskContext.ts'
import { arrowUpPath, Icon } from '../Icon.tsx'
import { EmptyView } from './EmptyView.tsx'
import { InboxRow } from './InboxRow.tsx'
import { Search } from './Search.tsx'
import { Views } from './Views.tsx'

const rowHeight = 72
const skeletonRows = 6

/** The views, and the conversations of one of them. */
export function ConversationList(): JSX.Element {
  const { inbox, strings, format } = useDesk()
  const texts = strings.inbox
  const scroller = useRef<HTMLDivElement>(null)
  const focusedId = useSignal<string | null>(null)
  const rows = inbox.rows.value
  const status = inbox.status.value
  const selectedId = inbox.selectedId.value
  const newRows = inbox.newRows.value
  const has = (id: string | null) => rows.some(row => row.id === id)
  const tabStop = [focusedId.value, selectedId].find(has) ?? rows[0]?.id

  const links = () => [...(scroller.current?.querySelectorAll<HTMLAnchorElement>('a.inbox-row') ?? [])]
  const focus = (index: number) => {
    const all = links()
    all[Math.max(0, Math.min(index, all.length - 1))]?.focus()
  }
  /** The row with the focus or, if it is elsewhere, that of the open conversation. */
  const currentIndex = () => {
    const all = links()
    const focused = all.indexOf(document.activeElement as HTMLAnchorElement)
    return focused >= 0 ? focused : all.findIndex(({ dataset }) => dataset['id'] === selectedId)
  }
  useKeys({
    j: () => focus(currentIndex() + 1),
    k: () => focus(currentIndex() - 1),
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const targets: Partial<Record<string, number>> = {
      ArrowDown: currentIndex() + 1,
      ArrowUp: currentIndex() - 1,
      Home: 0,
      End: rows.length - 1,
    }
    const target = targets[event.key]
    if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    focus(target)
  }
  const loadNearEnd = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = scroller.current ?? {}
    // A list that is not shown has no height.
    if (clientHeight > 0 && scrollTop + clientHeight > scrollHeight - 5 * rowHeight) void inbox.loadMore()
  }
  // Rows that have left may leave too few to scroll.
  useLayoutEffect(loadNearEnd)
  const hasAskedForNew = useRef(false)
  useLayoutEffect(() => {
    if (hasAskedForNew.current) focus(0)
    hasAskedForNew.current = false
  }, [rows])
  const isEmpty = rows.length === 0

  return (
    <section class="inbox" aria-label={texts.conversations}>
      <h1 class="only-read">{strings.app.inbox}</h1>
      <Search />
      <Views />
      <div class="pill-place">
        {newRows > 0 && (
          <button
            type="button"
            class="button primary pill"
            aria-label={format.count(texts.showNew, newRows)}
            onClick={() => {
              hasAskedForNew.current = true
              scroller.current?.scrollTo(0, 0)
              inbox.showNewRows()
            }}
          >
            <Icon path={arrowUpPath} />
            {format.count(texts.newRows, newRows)}
          </button>
        )}
      </div>
      <div
        class="inbox-rows"
        ref={scroller}
        onScroll={({ currentTarget }) => {
          inbox.setFirstSeenRow(Math.ceil(currentTarget.scrollTop / rowHeight))
          loadNearEnd()
        }}
        aria-busy={status === 'loading'}
      >
        <ul onKeyDown={onKeyDown}>
          {rows.map(row => (
            <li
              key={row.id}
              onFocusIn={() => {
                focusedId.value = row.id
              }}
            >
              <InboxRow conversation={row} isSelected={row.id === selectedId} isTabStop={row.id === tabStop} />
            </li>
          ))}
        </ul>
        {isEmpty && status === 'loading' && <Skeleton label={texts.loading} />}
        {isEmpty && status === 'ready' && !inbox.hasMore.value && <EmptyView />}
        {status === 'paused' && (
          <div class="empty">
            <button type="button" class="button" onClick={inbox.retry}>
              {strings.app.more}
            </button>
          </div>
        )}
        {status === 'failed' && (
          <div class="empty" role="alert">
            <p>{texts.loadFailed}</p>
            <button type="button" class="button" onClick={inbox.retry}>
              {strings.app.retry}
            </button>
          </div>
        )}
      </div>
    </section>
  )
}

/** Rows of the real height, while the first ones are on their way. */
function Skeleton({ label }: { label: string }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label={label}>
      {Array.from({ length: skeletonRows }, (_, index) => (
        <span key={index} class="inbox-row">
          <span class="avatar" />
          <span class="row-name" />
          <span class="row-line">
            <span class="row-text" />
          </span>
        </span>
      ))}
    </div>
  )
}
