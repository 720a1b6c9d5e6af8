import type { ComponentChild } from 'preact'
import type { Models } from '../core.ts'
import { fill } from './fill.ts'
import { SendIcon } from './icons.tsx'

/** Longest message in code points after trimming, as the platform counts. */
const longest = 4000
const counted = 3800

/** Where the visitor writes; the draft lives in the panel's model. */
export function Composer({ models: { conversation, panel, strings } }: { models: Models }): ComponentChild {
  const draft = panel.draft.value
  const text = draft.trim()
  const left = longest - [...text].length
  const ready = text !== '' && left >= 0
  const send = (event: Event) => {
    event.preventDefault()
    if (!ready) return
    conversation.send(text)
    panel.setDraft('')
  }
  return (
    <form part="composer" onSubmit={send}>
      {left <= longest - counted && (
        <p class={left < 0 ? 'count over' : 'count'} role="status">
          {fill(strings.charactersLeft, left)}
        </p>
      )}
      {/* The hidden copy of the draft gives the field its height: no measuring, no style attribute. */}
      <div class="field" data-draft={draft}>
        <textarea
          rows={1}
          // An empty field with "auto" is left to right, its placeholder in Arabic too.
          dir={draft ? 'auto' : undefined}
          autocomplete="off"
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
      <button
        type="submit"
        class="send"
        aria-label={strings.send}
        disabled={!ready}
        // Else a tap on it takes the focus from the field, and a phone's keyboard closes after every message.
        onMouseDown={event => event.preventDefault()}
      >
        <SendIcon />
      </button>
    </form>
  )
}
