import type { JSX } from 'preact'

/** Bubbles without text, in the place of messages that are still to come. They show after a moment: most come sooner. */
export function Placeholder(): JSX.Element {
  return (
    <div class="placeholder" aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  )
}
