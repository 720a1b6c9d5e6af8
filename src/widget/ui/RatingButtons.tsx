import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { Rating } from '../../contract/index.ts'
import { IconButton } from './elements.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

const thumbPath = 'M7 20H4v-9h3m0 9v-9l4-8c1.5 0 2.5 1 2.5 2.5V9h5a2 2 0 0 1 2 2.3l-1.2 7a2 2 0 0 1-2 1.7z'

interface RatingButtonsProps {
  /** The id of the answer. */
  id: string
  /** The stored rating. */
  rating: Rating | undefined
  /** Whether it is the last answer of a group. Others show the buttons only if they have been rated. */
  isLast: boolean
  /** The id of the answer's element, which describes the buttons. */
  labelId: string
}

/** Buttons by which the visitor says whether an answer helped. A pressed one takes the rating back. */
export function RatingButtons({ id, rating, isLast, labelId }: RatingButtonsProps): JSX.Element | null {
  const { pending, rate } = useWidget().conversation.ratings
  const strings = useStrings()
  const shown = pending.value.has(id) ? pending.value.get(id) : rating
  // The buttons stay when the rating is taken back: one of them has the focus.
  const wasRated = useRef(false)
  wasRated.current ||= !!shown
  if (!isLast && !wasRated.current) return null
  const button = (value: Rating, label: string) => (
    <IconButton
      label={label}
      path={thumbPath}
      aria-pressed={shown === value}
      aria-describedby={labelId}
      onClick={() => rate(id, shown === value ? null : value)}
    />
  )
  return (
    <span class="rating">
      {button('up', strings.helpful)}
      {button('down', strings.notHelpful)}
    </span>
  )
}
