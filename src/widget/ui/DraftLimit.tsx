import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatCount } from '../i18n/en.ts'
import { LiveText } from './elements.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/**
 * Screen readers announce the counter only when it passes one of these. Announcing each key would interrupt the typing. That
 * a text is too long is said when the visitor tries to send it.
 */
const announcedCounts = [0, 10, 50, 100, 200]

interface DraftLimitProps {
  /** How many characters can still be written. Negative if the draft is too long. */
  left: number
  /** Whether the number is shown. */
  isCounted: boolean
  /** Whether the visitor has tried to send a draft that is too long. */
  isRefused: boolean
}

/** Says in the composer how many characters are left, and that a text was cut. */
export function DraftLimit({ left, isCounted, isRefused }: DraftLimitProps): JSX.Element {
  const { draft } = useWidget()
  const strings = useStrings()
  // The browser silently cuts input at `maxLength`, so a full field counts as truncated.
  const isTruncated = draft.isTruncated.value || draft.text.value.length >= draft.maxLength
  const leftText = formatCount(strings.charactersLeft, left)
  const announcedCount = announcedCounts.find(count => left <= count)
  const announcement = useMemo(
    () => [isCounted && leftText, isTruncated && strings.draftTruncated].filter(Boolean).join(' '),
    [announcedCount, isTruncated],
  )
  return (
    <>
      {isCounted && (
        <p class="count" id="count">
          {left < 0 ? <b key={left}>{leftText}</b> : <LiveText text={leftText} />}
          <span role="status">{isTruncated && <b> {strings.draftTruncated}</b>}</span>
        </p>
      )}
      {/* Always rendered: screen readers announce changes of a live region, but not a region that is added with its text. */}
      <p class="aloud" role="status">
        <LiveText text={announcement} />
      </p>
      {isRefused && (
        <p class="aloud" role="alert">
          <LiveText text={leftText} />
        </p>
      )}
    </>
  )
}
