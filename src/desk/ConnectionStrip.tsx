import { useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useDesk } from './DeskContext.ts'

/** Most connections are there sooner. */
const connectingDelayMs = 2000

/** Says that nothing new arrives. */
export function ConnectionStrip(): JSX.Element {
  const { events, strings } = useDesk()
  const isSlow = useSignal(false)
  useSignalEffect(() => {
    isSlow.value = false
    if (events.status.value !== 'connecting') return
    const timer = setTimeout(() => {
      isSlow.value = true
    }, connectingDelayMs)
    return () => clearTimeout(timer)
  })
  const { status } = events
  const text = status.value === 'offline' ? strings.app.offline : isSlow.value ? strings.app.reconnecting : ''
  return (
    <div class={text ? 'strip shown' : 'strip'} role="status">
      {text}
    </div>
  )
}
