import type { JSX, TargetedEvent } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isBlank, maxMessageLength, messageLength } from '../../widget/conversation/messageText.ts'
import { useDesk } from '../DeskContext.ts'
import { clipPath, Icon } from '../Icon.tsx'
import { useSavedReplyPicker } from '../savedReplies/useSavedReplyPicker.tsx'
import { findVariable } from '../savedReplies/variables.ts'
import { ComposerBanner } from './ComposerBanner.tsx'
import { useConversation, useConversationTexts } from './ConversationContext.ts'
import { DraftFiles } from './DraftFiles.tsx'

/** The number of characters left is shown from here on. */
const counterThreshold = 200

/** What the browser offers to choose. The platform decides by the content. */
const accepted = 'image/png,image/jpeg,image/webp,image/gif,application/pdf,text/plain,.txt,.log,.md,.csv'

export function Composer(): JSX.Element {
  const { format } = useDesk()
  const { thread, bot } = useConversation()
  const texts = useConversationTexts()
  const field = useRef<HTMLTextAreaElement>(null)
  const fileInput = useRef<HTMLInputElement>(null)

  const mode = thread.mode.value
  const placeholder = mode === 'note' ? texts.writeNote : texts.writeReply
  const text = thread.drafts.texts.value[mode]
  const left = maxMessageLength - messageLength(text)
  const takesFiles = mode === 'reply' && !!bot?.attachments
  const hasContent = !isBlank(text) || (mode === 'reply' && thread.files.status.value !== 'empty')
  const isUnfilled = mode === 'reply' && findVariable(text) !== null
  const isHeld = mode === 'reply' && (thread.files.status.value === 'busy' || thread.person.value.isBlocked)
  const isSendable = hasContent && left >= 0 && !isUnfilled && !isHeld
  const sendText = mode === 'note' ? texts.addNote : thread.isOffline.value ? texts.sendWhenBack : texts.send

  const picker = useSavedReplyPicker({
    field,
    isEnabled: mode === 'reply',
    values: {
      name: thread.conversation.value.contact?.name ?? '',
      email: thread.person.value.contact?.email ?? '',
      bot: bot?.name ?? '',
      member: thread.me.name,
    },
    setText: thread.setText,
  })

  // Those from before the member left the conversation and came back are over.
  const handledRequests = useRef(thread.focusRequests.peek())
  useLayoutEffect(() => {
    if (thread.focusRequests.value > handledRequests.current) field.current?.focus()
  }, [thread.focusRequests.value])

  /** Takes files that are pasted or dropped, which the browser would open. The list is empty while they are dragged. */
  const takeFiles = (event: Event, data: DataTransfer | null) => {
    if (!takesFiles || !data?.types.includes('Files')) return
    event.preventDefault()
    if (data.files.length > 0) thread.files.add([...data.files])
  }
  const onDrag = (event: DragEvent) => takeFiles(event, event.dataTransfer)

  return (
    <form
      class={`composer for-${mode}`}
      onSubmit={event => {
        event.preventDefault()
        thread.send()
        field.current?.focus()
      }}
      onDragEnter={onDrag}
      onDragOver={onDrag}
      onDrop={onDrag}
      onPaste={event => {
        // Text from an office program comes with a picture of it.
        if (!event.clipboardData?.types.includes('text/plain')) takeFiles(event, event.clipboardData)
      }}
    >
      <div class="modes" role="radiogroup" aria-label={texts.composer}>
        {(['reply', 'note'] as const).map(each => (
          <label key={each}>
            <input
              type="radio"
              name="mode"
              class="only-read"
              checked={mode === each}
              onChange={() => thread.setMode(each)}
            />
            {texts[each]}
          </label>
        ))}
      </div>
      <div class="composer-box">
        <ComposerBanner />
        {mode === 'reply' && <DraftFiles />}
        {picker.list}
        <textarea
          ref={field}
          rows={2}
          // With "auto" an empty field is left to right, and so would be an Arabic placeholder.
          dir={text ? 'auto' : undefined}
          aria-label={placeholder}
          placeholder={placeholder}
          aria-invalid={left < 0 || isUnfilled}
          aria-describedby="composer-left"
          {...picker.fieldProps}
          value={text}
          onInput={({ currentTarget }) => {
            thread.setText(currentTarget.value)
            picker.readField(currentTarget)
          }}
        />
        <div class="composer-tools">
          {takesFiles && (
            <>
              <input
                ref={fileInput}
                type="file"
                hidden
                multiple
                accept={accepted}
                onChange={({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
                  thread.files.add([...(currentTarget.files ?? [])])
                  // Otherwise choosing the same file again would be no change.
                  currentTarget.value = ''
                  field.current?.focus()
                }}
              />
              <button
                type="button"
                class="icon-button"
                aria-label={texts.attach}
                title={texts.attach}
                onClick={() => fileInput.current?.click()}
              >
                <Icon path={clipPath} />
              </button>
            </>
          )}
          <p id="composer-left" class={left < 0 ? 'meta failure' : 'meta'}>
            {mode === 'note' && texts.noteLabel}
            {left <= counterThreshold && <b> {format.count(texts.charactersLeft, left)}</b>}
          </p>
          <button
            type="submit"
            class="button primary"
            disabled={!isSendable}
            aria-keyshortcuts="Meta+Enter Control+Enter"
          >
            {sendText}
          </button>
        </div>
      </div>
    </form>
  )
}
