import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useStrings } from './WidgetContext.ts'

/** An icon of strokes on a 24 × 24 grid, in the colour of the surrounding text. */
export function Icon({ path }: { path: string }): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

interface IconButtonProps extends Omit<JSX.IntrinsicElements['button'], 'label' | 'path' | 'icon'> {
  label: string
  path: string
}

export function IconButton({ label, path, ...attributes }: IconButtonProps): JSX.Element {
  return (
    <button type="button" class="icon" aria-label={label} {...attributes}>
      <Icon path={path} />
    </button>
  )
}

interface LinkButtonProps {
  onClick: () => unknown
  /** The id of what says more about it. */
  describedBy?: string
  children: ComponentChildren
}

/**
 * A button within a line of text. It ignores the second click of a double click, because the first click may have moved another
 * button to its place, such as the one that deletes the next message.
 */
export function LinkButton({ onClick, describedBy, children }: LinkButtonProps): JSX.Element {
  return (
    <button type="button" class="link" aria-describedby={describedBy} onClick={({ detail }) => detail < 2 && onClick()}>
      {children}
    </button>
  )
}

/**
 * A text that changes while it is shown. A translator of pages replaces text nodes, so a change of one would not be seen, and
 * its former translation would stay. So each text gets a new element.
 */
export const LiveText = ({ text }: { text: string | false | null | undefined }): JSX.Element | null =>
  text ? <span key={text}>{text}</span> : null

/** Says in the transcript that something has failed, and offers to try again. */
export function RetryAlert({ text, onRetry }: { text: string; onRetry: () => unknown }): JSX.Element {
  return (
    <p class="rule" role="alert">
      {text}
      <LinkButton onClick={onRetry}>{useStrings().retry}</LinkButton>
    </p>
  )
}

/** The picture of the bot or of a team member. The initial of the name is shown until it has loaded, and if that fails. */
export function Avatar({ name, url }: { name: string; url: string | undefined }): JSX.Element {
  const failedUrl = useSignal('')
  const [initial] = name
  return (
    <span class="avatar" aria-hidden="true" translate={false}>
      {initial}
      {url && url !== failedUrl.value && (
        <img
          src={url}
          alt=""
          referrerpolicy="no-referrer"
          onError={() => {
            failedUrl.value = url
          }}
        />
      )}
    </span>
  )
}

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
