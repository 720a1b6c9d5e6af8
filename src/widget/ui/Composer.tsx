import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { AttachmentsModel } from '../conversation/attachments/attachments.ts'
import { isBlank, maxMessageLength, messageLength, trimText } from '../conversation/messageText.ts'
import { IconButton } from './elements.tsx'
import { focusOn, initialFocus } from './focus.ts'
import { useLazyPart } from './LazyPartsContext.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

/** The number of characters left is shown from here on. */
const counterThreshold = 200

/**
 * Whether CSS alone makes the field grow with its text. In other browsers a hidden copy of the draft (`data-draft`) gives
 * it its height, without measuring and without a `style` attribute.
 */
const hasFieldSizing = CSS.supports('field-sizing', 'content')

export function Composer(): JSX.Element {
  const { conversation, draft, signIn } = useWidget()
  const { attachments, botProfile, outbox, reply } = conversation
  const strings = useStrings()
  const form = useRef<HTMLFormElement>(null)

  const canWrite = signIn.canWrite.value
  const text = draft.text.value
  const left = maxMessageLength - messageLength(text)
  const isCounted = left <= counterThreshold
  const { DraftLimit, StopButton } = useLazyPart('transcript') ?? {}
  const { AttachButton, DraftFiles } = useLazyPart('attachments', !!botProfile.profile.value?.attachments) ?? {}
  const model = attachments.model.value
  const isStoppable = reply.isStoppable.value
  const wasStoppable = useRef(false)
  wasStoppable.current ||= isStoppable
  /** What Enter could not send. */
  const refusedText = useSignal('')
  const isRefused = left < 0 && refusedText.value === text

  const send = (event: Event) => {
    event.preventDefault()
    if (!signIn.canWrite.peek()) return
    // Read the current draft: the rendered value may be stale.
    const current = draft.text.peek()
    const model = attachments.model.peek()
    if (!isSendable(current, model?.draftStatus.peek())) {
      refusedText.value = current
      return
    }
    // Move the focus away from the button, which is disabled now and would not receive keys such as Escape.
    if (form.current?.matches(':focus-within')) focusOn(form.current, initialFocus)
    outbox.send(trimText(current), { finishesDraft: true, files: model?.takeDraft() })
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
      {DraftFiles && <DraftFiles />}
      <div class={AttachButton ? 'field attachable' : 'field'} data-draft={hasFieldSizing ? undefined : text}>
        <textarea
          rows={1}
          readOnly={!canWrite}
          // Without a limit, each key takes seconds after a megabyte of text was pasted.
          maxLength={draft.maxLength}
          // With "auto" an empty field is left to right, and so would be an Arabic placeholder.
          dir={text ? 'auto' : undefined}
          enterkeyhint="send"
          aria-label={strings.writeMessage}
          placeholder={canWrite ? strings.writeMessage : strings.oneMoment}
          aria-invalid={left < 0}
          aria-describedby={isCounted ? 'count' : undefined}
          value={text}
          onInput={event => draft.setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {AttachButton && canWrite && <AttachButton />}
      </div>
      {isStoppable && StopButton ? (
        <StopButton onClick={stop} />
      ) : (
        <SendButton
          disabled={!canWrite || !isSendable(text, model?.draftStatus.value)}
          replacesStop={wasStoppable.current}
        />
      )}
    </form>
  )
}

/** A message has a text, files or both. */
const isSendable = (text: string, files: AttachmentsModel['draftStatus']['value'] = 'empty') =>
  (files === 'empty' ? !isBlank(text) : files === 'ready') && messageLength(text) <= maxMessageLength

const cjk = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Hang}]$/u

/**
 * Whether an IME handles the key: Escape closes its list, and Enter confirms. Safari ends the composition before it sends such
 * a key. Only keyCode 229 identifies it.
 * Keyboards of Android also compose Latin words, and send an ordinary Enter meanwhile.
 */
export function isOfComposition({ isComposing, keyCode, target }: KeyboardEvent): boolean {
  const { value = '', selectionEnd } = target as HTMLTextAreaElement
  const isOfTouchKeyboard = keyCode === 13 && matchMedia('(pointer: coarse)').matches
  return keyCode === 229 || (isComposing && !(isOfTouchKeyboard && !cjk.test(value.slice(0, selectionEnd))))
}

const upPath = 'M12 19V5M6 11l6-6 6 6'

/** A click this soon after the button has replaced another one was meant for that one. */
const reactionTimeMs = 500

interface SendButtonProps {
  disabled: boolean
  /** Whether it has replaced the stop button. */
  replacesStop?: boolean
}

export function SendButton({ disabled, replacesStop = false }: SendButtonProps): JSX.Element {
  const shownAt = useRef(performance.now())
  return (
    <IconButton
      type="submit"
      label={useStrings().send}
      path={upPath}
      class="icon send"
      disabled={disabled}
      onClick={event => {
        // A click by keyboard has no detail: the focus does not move to this button by itself.
        if (event.detail && replacesStop && performance.now() - shownAt.current < reactionTimeMs) event.preventDefault()
      }}
      // Keeps the focus in the field. Otherwise the keyboard of a phone closes after every message.
      onMouseDown={event => event.preventDefault()}
    />
  )
}
