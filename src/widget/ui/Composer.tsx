import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { isBlank, maxMessageLength, messageLength } from '../models/conversation/messageText.ts'
import { focusOn, initialFocus } from './focus.ts'
import { useFocusHandover } from './hooks/useFocusHandover.ts'
import { isOfComposition } from './isOfComposition.ts'
import { useLazyPart } from './LazyPartsContext.ts'
import { SendButton } from './SendButton.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** The number of characters left is shown from here on. */
const counterThreshold = 200

/**
 * Whether CSS alone makes the field grow with its text. In other browsers a hidden copy of the draft (`data-draft`) gives
 * it its height, without measuring and without a `style` attribute.
 */
const hasFieldSizing = CSS.supports('field-sizing', 'content')

/** The form in which the visitor writes a message. */
export function Composer(): JSX.Element {
  const { conversation, draft } = useWidget()
  const { outbox, reply } = conversation
  const strings = useStrings()
  const form = useRef<HTMLFormElement>(null)
  useFocusHandover(form, initialFocus)

  const text = draft.text.value
  const left = maxMessageLength - messageLength(text)
  const isCounted = left <= counterThreshold
  const { DraftLimit, StopButton } = useLazyPart('transcript', true) ?? {}
  const isStoppable = reply.isStoppable.value
  const wasStoppable = useRef(false)
  wasStoppable.current ||= isStoppable
  /** What Enter could not send. */
  const refusedText = useSignal('')
  const isRefused = left < 0 && refusedText.value === text

  const send = (event: Event) => {
    event.preventDefault()
    // Read the current draft: the rendered value may be stale.
    const current = draft.text.peek()
    if (!isSendable(current)) {
      refusedText.value = current
      return
    }
    // Move the focus away from the button, which is disabled now and would not receive keys such as Escape.
    if (form.current?.matches(':focus-within')) focusOn(form.current, initialFocus)
    outbox.send(current.trim(), { finishesDraft: true })
    // The outbox empties the draft, unless nothing can be sent of it, such as a text of NUL characters only.
    draft.setText('')
  }
  const stop = () => {
    // The button goes. On a phone whose keyboard is closed, the focus is not in the form, and the keyboard stays closed.
    if (form.current?.matches(':focus-within')) focusOn(form.current, initialFocus)
    void conversation.stopReply()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || isOfComposition(event)) return
    event.preventDefault()
    // Ignore auto-repeat, so that the Enter that opened the panel cannot submit.
    if (!event.repeat) send(event)
  }
  return (
    <form part="composer" ref={form} onSubmit={send}>
      {DraftLimit && <DraftLimit left={left} isCounted={isCounted} isRefused={isRefused} />}
      <div class="field" data-draft={hasFieldSizing ? undefined : text}>
        <textarea
          rows={1}
          // Without a limit, each key takes seconds after a megabyte of text was pasted.
          maxLength={draft.maxLength}
          // With "auto" an empty field is left to right, and so would be an Arabic placeholder.
          dir={text ? 'auto' : undefined}
          enterkeyhint="send"
          aria-label={strings.writeMessage}
          placeholder={strings.writeMessage}
          aria-invalid={left < 0}
          aria-describedby={isCounted ? 'count' : undefined}
          value={text}
          onInput={event => draft.setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {isStoppable && StopButton ? (
        <StopButton onClick={stop} />
      ) : (
        <SendButton disabled={!isSendable(text)} replacesStop={wasStoppable.current} />
      )}
    </form>
  )
}

const isSendable = (text: string) => !isBlank(text) && messageLength(text) <= maxMessageLength
