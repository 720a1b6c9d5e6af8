import type { JSX } from 'preact'
import type { Models } from '../app/createApp.ts'
import { iconButton } from './buttons.tsx'
import { interpolate } from './interpolate.ts'

/** Longest message in code points after trimming, as the platform counts. */
const longest = 4000
const counted = 3800

/** Where the visitor writes; the draft lives in the panel's model. */
export function Composer({ conversation, draft, strings }: Models): JSX.Element {
  const text = draft.text.value
  const left = lettersLeft(text)
  const charactersLeft = interpolate(strings.charactersLeft, left)
  const send = (event: Event & { repeat?: boolean }) => {
    event.preventDefault()
    // What stands there by now: this drawing may be older.
    const current = draft.text.value
    // A key that is still held since it opened the panel sends no draft.
    if (event.repeat || !isReady(current)) return
    conversation.outbox.send(current.trim(), { draft: '' })
    draft.setText('')
  }
  return (
    <form part="composer" onSubmit={send}>
      {left <= longest - counted && (
        <p class="count" role="status">
          {left < 0 ? <b>{charactersLeft}</b> : charactersLeft}
        </p>
      )}
      {/* The hidden copy of the draft gives the field its height: no measuring, no style attribute. */}
      <div class="field" data-draft={text}>
        <textarea
          rows={1}
          // An empty field with "auto" is left to right, its placeholder in Arabic too.
          dir={text ? 'auto' : undefined}
          enterkeyhint="send"
          aria-label={strings.writeMessage}
          placeholder={strings.writeMessage}
          aria-invalid={left < 0}
          value={text}
          onInput={event => draft.setText(event.currentTarget.value)}
          onKeyDown={event => {
            // Safari ends a composition before the Enter that confirmed it, and only this code tells.
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229) send(event)
          }}
        />
      </div>
      {iconButton(strings.send, 'M12 19V5M6 11l6-6 6 6', undefined, {
        class: 'icon send',
        disabled: !isReady(text),
        // Else a tap on it takes the focus from the field, and a phone's keyboard closes after every message.
        onMouseDown: event => event.preventDefault(),
      })}
    </form>
  )
}

const lettersLeft = (text: string) => longest - [...text.trim()].length

const isReady = (text: string) => text.trim() !== '' && lettersLeft(text) >= 0
