import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { SavedReply } from '../../contract/desk.ts'
import { maxSavedReplyTitle } from '../../contract/deskLimits.ts'
import { maxMessageLength } from '../../widget/conversation/messageText.ts'
import { useDesk } from '../DeskContext.ts'
import { Dialog } from '../Dialog.tsx'

interface SavedReplyDialogProps {
  reply: Omit<SavedReply, 'updatedAt'>
  onClose(): void
}

/** Where a saved reply is written. */
export function SavedReplyDialog({ reply, onClose }: SavedReplyDialogProps): JSX.Element {
  const { current, savedReplies, strings } = useDesk()
  const texts = strings.saved
  const hasFailed = useSignal(false)
  async function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }) {
    event.preventDefault()
    const dialog = event.currentTarget.closest('dialog')
    const fields = new FormData(event.currentTarget)
    const read = (name: string) => String(fields.get(name) ?? '')
    hasFailed.value = false
    await savedReplies
      .save({ id: reply.id, title: read('title'), text: read('text'), isShared: fields.has('isShared') })
      .then(() => dialog?.close())
      .catch(() => {
        hasFailed.value = true
      })
  }
  return (
    <Dialog label={texts.write} onClose={onClose}>
      <form class="dialog-content saved-form" onSubmit={submit}>
        <h2>{texts.write}</h2>
        <label>
          {texts.titleField}
          <input name="title" required maxLength={maxSavedReplyTitle} defaultValue={reply.title} dir="auto" />
        </label>
        <label>
          {texts.textField}
          <textarea
            name="text"
            required
            rows={8}
            maxLength={maxMessageLength}
            defaultValue={reply.text}
            dir="auto"
            aria-describedby="variables"
          />
        </label>
        <p class="meta" id="variables">
          {texts.variables}
        </p>
        {current.member.role === 'admin' && (
          <label class="check">
            <input type="checkbox" name="isShared" defaultChecked={reply.isShared} />
            {texts.share}
          </label>
        )}
        <p class="failure" role="alert">
          {hasFailed.value && texts.saveFailed}
        </p>
        <div class="dialog-actions">
          <button
            type="button"
            class="button"
            onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}
          >
            {strings.app.cancel}
          </button>
          <button type="submit" class="button primary">
            {texts.save}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
