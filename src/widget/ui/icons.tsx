import type { JSX } from 'preact'

const icon = (d: string) => (): JSX.Element => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d={d} />
  </svg>
)

export const CloseIcon = icon('M6 6l12 12M18 6L6 18')
export const MoreIcon = icon('M5 12h0M12 12h0M19 12h0')
export const SendIcon = icon('M12 19V5M6 11l6-6 6 6')
export const DownIcon = icon('M6 9l6 6 6-6')
export const SentIcon = icon('M5 13l4 4L19 7')
export const ClockIcon = icon('M12 3a9 9 0 1 0 .1 0M12 7v5l3 2')
