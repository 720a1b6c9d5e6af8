import type { JSX } from 'preact'
import { useDesk } from './DeskContext.ts'

interface BotSelectProps {
  label: string
  /** The id of a bot, or `''` for any. */
  value: string
  /** The text for any bot, if that can be chosen. */
  anyBot?: string
  onChange(botId: string): void
}

/** The choice of a bot, where there are several. */
export function BotSelect({ label, value, anyBot, onChange }: BotSelectProps): JSX.Element | null {
  const { bots } = useDesk().current
  if (bots.length < 2) return null
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => {
        const chosen = currentTarget.value
        // It shows another bot when that is there: somebody may rather stay.
        currentTarget.value = value
        onChange(chosen)
      }}
    >
      {anyBot !== undefined && <option value="">{anyBot}</option>}
      {bots.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}
