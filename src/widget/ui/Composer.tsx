import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { formatCount } from '../i18n/formatCount.ts'
import { initialFocus } from './focus.ts'
import { useFocusHandover } from './hooks/useFocusHandover.ts'
import { SendButton } from './SendButton.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** The rest is counted when so many characters of a message are left. Screen readers hear of it at these numbers alone. */
const announcedRests = [0, 10, 50, 100, 200]
const countedRest = 200

/** Elsewhere a hidden copy of the draft gives the field its height: no measuring, no style attribute. */
const growsByItself = CSS.supports('field-sizing', 'content')

/** Where the visitor writes. */
export function Composer(): JSX.Element {
  const { conversation, draft } = useWidget()
  const { outbox } = conversation
  const strings = useStrings()
  const form = useRef<HTMLFormElement>(null)
  useFocusHandover(form, initialFocus)

  const text = draft.text.value
  // The field itself takes no more than its maximum, without saying so.
  const isTruncated = draft.isTruncated.value || text.length >= draft.maxLength
  const left = outbox.maxLength - messageLength(text)
  const leftText = formatCount(strings.charactersLeft, left)
  const announcedRest = announcedRests.find(rest => left <= rest)
  /** What Enter could not send. */
  const refusedText = useSignal('')
  const isRefused = left < 0 && refusedText.value === text

  const send = (event: Event) => {
    event.preventDefault()
    // Read the current draft: the rendered value may be stale.
    const current = draft.text.peek()
    if (!isSendable(current, outbox.maxLength)) {
      refusedText.value = current
      return
    }
    outbox.send(current.trim(), { finishesDraft: true })
    // The outbox has emptied the draft, unless nothing of it could be sent, as of NUL characters.
    draft.setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Safari ends a composition before the Enter that confirms it, and only this key code tells.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return
    event.preventDefault()
    // Ignore auto-repeat, so that the Enter that opened the panel cannot submit.
    if (!event.repeat) send(event)
  }
  return (
    <form part="composer" ref={form} onSubmit={send}>
      {left <= countedRest && (
        <p class="count" id="characters-left">
          {left < 0 ? <b>{leftText}</b> : leftText}
          <span role="status">{isTruncated && <b> {strings.draftTruncated}</b>}</span>
        </p>
      )}
      <span class="aloud" role="status">
        {announcedRest !== undefined && formatCount(strings.charactersLeft, announcedRest)}
      </span>
      {isRefused && (
        <span class="aloud" role="alert">
          {leftText}
        </span>
      )}
      <div class="field" data-draft={growsByItself ? undefined : text}>
        <textarea
          rows={1}
          // A text field in which everything could be pasted takes seconds for each key.
          maxLength={draft.maxLength}
          // An empty field with "auto" is left to right, its placeholder in Arabic too.
          dir={text ? 'auto' : undefined}
          enterkeyhint="send"
          aria-label={strings.writeMessage}
          placeholder={strings.writeMessage}
          aria-invalid={left < 0}
          aria-describedby={left <= countedRest ? 'characters-left' : undefined}
          value={text}
          onInput={event => draft.setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <SendButton disabled={!isSendable(text, outbox.maxLength)} />
    </form>
  )
}

/** In code points after trimming, as the platform counts. */
const messageLength = (text: string) => [...text.trim()].length

const isSendable = (text: string, maxLength: number) => text.trim() !== '' && messageLength(text) <= maxLength
