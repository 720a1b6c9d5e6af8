import type { JSX } from 'preact'
import type { Models } from '../app/createApp.ts'
import { iconButton } from './buttons.tsx'
import { interpolate } from './interpolate.ts'

/** Longest message in code points after trimming, as the platform counts. */
const longest = 4000
const counted = 3800

/** Where the visitor writes; the draft lives in the panel's model. */
export function Composer({ conversation, panel, strings }: Models): JSX.Element {
  const draft = panel.draft.value
  const left = lettersLeft(draft)
  const charactersLeft = interpolate(strings.charactersLeft, left)
  const send = (event: Event & { repeat?: boolean }) => {
    event.preventDefault()
    // What stands there by now: this drawing may be older.
    const text = panel.draft.value
    // A key that is still held since it opened the panel sends no draft.
    if (event.repeat || !isReady(text)) return
    conversation.outbox.send(text.trim(), { draft: '' })
    panel.setDraft('')
  }
  return (
    <form part="composer" onSubmit={send}>
      {left <= longest - counted && (
        <p class="count" role="status">
          {left < 0 ? <b>{charactersLeft}</b> : charactersLeft}
        </p>
      )}
      {/* The hidden copy of the draft gives the field its height: no measuring, no style attribute. */}
      <div class="field" data-draft={draft}>
        <textarea
          rows={1}
          // An empty field with "auto" is left to right, its placeholder in Arabic too.
          dir={draft ? 'auto' : undefined}
          enterkeyhint="send"
          aria-label={strings.writeMessage}
          placeholder={strings.writeMessage}
          aria-invalid={left < 0}
          value={draft}
          onInput={event => panel.setDraft(event.currentTarget.value)}
          onKeyDown={event => {
            // Safari ends a composition before the Enter that confirmed it, and only this code tells.
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229) send(event)
          }}
        />
      </div>
      {iconButton(strings.send, 'M12 19V5M6 11l6-6 6 6', undefined, {
        class: 'icon send',
        disabled: !isReady(draft),
        // Else a tap on it takes the focus from the field, and a phone's keyboard closes after every message.
        onMouseDown: event => event.preventDefault(),
      })}
    </form>
  )
}

const lettersLeft = (draft: string) => longest - [...draft.trim()].length

const isReady = (draft: string) => draft.trim() !== '' && lettersLeft(draft) >= 0
