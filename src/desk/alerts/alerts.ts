import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Format } from '../i18n/format.ts'
import type { Strings } from '../i18n/locales/en.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { createThrottle } from '../throttle.ts'
import alertIcon from './alertIcon.svg'
import icon from './icon.svg'

/** What tells the member that somebody waits, also while the desk is not in sight. */
export interface Alerts {
  /** What screen readers say: that more people wait than before. */
  readonly announcement: ReadonlySignal<string>
  /** Keeps the title and the icon of the page. Returns a function that stops it. */
  start(): () => void
}

export interface AlertsDeps {
  inbox: Pick<Inbox, 'counts'>
  strings: Strings
  format: Format
}

const announcementPauseMs = 10_000

export function createAlerts({ inbox, strings, format }: AlertsDeps): Alerts {
  const announcement = signal('')
  const waiting = computed(() => inbox.counts.value?.waiting ?? 0)
  const total = computed(() => waiting.value + (inbox.counts.value?.mine ?? 0))
  const announcing = createThrottle(announcementPauseMs, () => {
    announcement.value = waiting.value > 0 ? format.count(strings.inbox.peopleWait, waiting.value) : ''
  })

  function start(): () => void {
    let before: number | null = null
    const stopAnnouncing = effect(() => {
      if (inbox.counts.value === null) return
      if (before !== null && waiting.value > before) announcing.request()
      before = waiting.value
    })
    const stopTitle = effect(() => {
      const { title } = strings.app
      document.title = total.value > 0 ? `(${format.number(total.value)}) ${title}` : title
    })
    const stopIcon = effect(() => {
      document.querySelector('link[rel=icon]')?.setAttribute('href', total.value > 0 ? alertIcon : icon)
    })
    return () => {
      announcing.cancel()
      for (const stop of [stopAnnouncing, stopTitle, stopIcon]) stop()
    }
  }
  return { announcement, start }
}
