import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { deskFilterDays, maxDeskQueryLength } from '../../contract/deskLimits.ts'
import { BotSelect } from '../BotSelect.tsx'
import { useDesk, useKeys } from '../DeskContext.ts'
import { filterPath, Icon, searchPath } from '../Icon.tsx'
import type { Filters } from '../router.ts'

/** A search begins so long after the last key. */
const pauseMs = 250

/** The field for searches, and what else restricts the list. */
export function Search(): JSX.Element {
  const { current, format, inbox, strings } = useDesk()
  const texts = strings.inbox
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const { query = '', ...filters } = inbox.filters.value
  const typed = useSignal(query)
  const isOpen = useSignal(Object.keys(filters).length > 0)
  // The back button changes it, too.
  useLayoutEffect(() => {
    typed.value = query
  }, [query])
  useLayoutEffect(() => () => clearTimeout(timer.current), [])

  const isLongEnough = /\S{3}/u.test(typed.value)
  const search = () => {
    clearTimeout(timer.current)
    if (/\S{3}/u.test(typed.peek()) || !typed.peek()) inbox.setFilters({ query: typed.peek() })
  }
  const type = (text: string) => {
    typed.value = text
    clearTimeout(timer.current)
    timer.current = setTimeout(search, pauseMs)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // With a modifier it would send what is written in the conversation.
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.preventDefault()
    if (event.key !== 'Escape' || !typed.value) return
    event.preventDefault()
    typed.value = ''
    search()
  }
  useKeys({ '/': () => field.current?.select() })

  const choice = (name: keyof Filters, label: string, options: [value: string, text: string][]) => (
    <select
      aria-label={label}
      value={filters[name as keyof typeof filters] ?? ''}
      onChange={({ currentTarget }) => inbox.setFilters({ [name]: currentTarget.value })}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
  const { filter } = texts
  const others = current.team.filter(({ id }) => id !== current.member.id)
  return (
    <search class="search">
      <form
        onSubmit={event => {
          event.preventDefault()
          search()
        }}
      >
        <Icon path={searchPath} />
        <input
          ref={field}
          type="search"
          enterkeyhint="search"
          aria-label={texts.search}
          title={`${texts.search} (/)`}
          placeholder={texts.search}
          maxLength={maxDeskQueryLength}
          value={typed.value}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button
          type="button"
          class="icon-button"
          aria-label={texts.filters}
          title={texts.filters}
          aria-expanded={isOpen.value}
          aria-controls="filters"
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          <Icon path={filterPath} />
        </button>
      </form>
      <p class="meta" role="status">
        {typed.value && !isLongEnough && texts.searchShort}
      </p>
      <div id="filters" class="filters" hidden={!isOpen.value}>
        {choice('state', filter.state, [['', filter.anyState], ...Object.entries(texts.states)])}
        {choice('owner', filter.owner, [
          ['', filter.anyOwner],
          ['nobody', filter.nobody],
          [current.member.id, filter.you],
          ...others.map(({ id, name }): [string, string] => [id, name]),
        ])}
        <BotSelect
          label={filter.bot}
          value={filters.bot ?? ''}
          anyBot={filter.anyBot}
          onChange={bot => inbox.setFilters({ bot })}
        />
        {choice('days', filter.days, [
          ['', filter.anyTime],
          ...deskFilterDays.map((days): [string, string] => [days, format.count(texts.lastDays, Number(days))]),
        ])}
      </div>
    </search>
  )
}
