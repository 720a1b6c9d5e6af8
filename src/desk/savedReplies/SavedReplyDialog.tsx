import type { JSX } from 'preact'
import type { SavedReply } from '../../contract/desk.ts'
import { maxSavedReplyTitle } from '../../contract/deskLimits.ts'
import { maxMessageLength } from '../../widget/conversation/messageText.ts'
import { useDesk } from '../DeskContext.ts'
import { Dialog } from '../Dialog.tsx'
import { Field } from '../Field.tsx'
import { Form } from '../Form.tsx'

interface SavedReplyDialogProps {
  reply: Omit<SavedReply, 'updatedAt'>
  onClose(): void
}

/** Where a saved reply is written. */
export function SavedReplyDialog({ reply, onClose }: SavedReplyDialogProps): JSX.Element {
  const { current, savedReplies, strings } = useDesk()
  const texts = strings.saved
  async function save(read: (name: string) => string) {
    const [title, text] = [read('title'), read('text')]
    await savedReplies.save({ id: reply.id, title, text, isShared: read('isShared') === 'on' })
    onClose()
  }
  return (
    <Dialog label={texts.write} class="saved-dialog" onClose={onClose}>
      <div class="dialog-content">
        <h2>{texts.write}</h2>
        <Form
          submitText={strings.app.save}
          onSubmit={save}
          explain={({ status, message }) => (status === 400 ? message : undefined)}
        >
          <Field
            name="title"
            label={texts.titleField}
            input={{ required: true, maxLength: maxSavedReplyTitle, defaultValue: reply.title, dir: 'auto' }}
          />
          <div class="field">
            <label for="text">{texts.textField}</label>
            <textarea
              id="text"
              name="text"
              required
              rows={8}
              maxLength={maxMessageLength}
              defaultValue={reply.text}
              dir="auto"
              aria-describedby="variables"
            />
            <p class="meta" id="variables">
              {texts.variables}
            </p>
          </div>
          {current.member.role === 'admin' && (
            <label class="check">
              <input type="checkbox" name="isShared" defaultChecked={reply.isShared} />
              {texts.share}
            </label>
          )}
        </Form>
      </div>
    </Dialog>
  )
}
