import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Dates } from './dates.ts'
import { LiveText } from './elements.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

interface TeamBackProps {
  class: string
  dates: Dates
  /** Whether screen readers don't announce it. */
  isSilent?: boolean
  /** Shown while the team is there, and if nothing is known of its hours. */
  children?: ComponentChildren
}

const updateEveryMs = 30_000

/** Says when the team is back while it is away. */
export function TeamBack({ class: className, dates, isSilent, children }: TeamBackProps): JSX.Element {
  const openings = useWidget().conversation.botProfile.profile.value?.openings ?? []
  const strings = useStrings()
  const hasHours = openings.length > 0
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!hasHours) return
    const timer = setInterval(() => setNow(Date.now()), updateEveryMs)
    return () => clearInterval(timer)
  }, [hasHours])
  const next = openings.find(({ until }) => Date.parse(until) > now)
  if (!next || Date.parse(next.from) <= now) return <>{children}</>
  const text = strings.teamBack.replace('{day}', dates.comingDay(next.from)).replace('{time}', dates.time(next.from))
  return (
    <p class={className} aria-live={isSilent ? 'off' : undefined}>
      <LiveText text={text} />
    </p>
  )
}
