import type { JSX } from 'preact'
import { interpolate } from './interpolate.ts'
import { useStrings } from './WidgetContext.ts'

/** Three dots that move. They say that the person or bot of that name is typing. */
export function TypingDots({ name }: { name: string }): JSX.Element {
  return (
    <div class="dots" role="img" aria-label={interpolate(useStrings().typing, name)}>
      <i />
      <i />
      <i />
    </div>
  )
}
