import type { JSX } from 'preact'
import type { SavedReply } from '../../contract/desk.ts'
import { maxSavedReplyTitle } from '../../contract/deskLimits.ts'
import { maxMessageLength } from '../../widget/conversation/messageText.ts'
import { Check } from '../Check.tsx'
import { useDesk } from '../DeskContext.ts'
import { Dialog } from '../Dialog.tsx'
import { Field } from '../Field.tsx'
import { Form } from '../Form.tsx'

interface SavedReplyDialogProps {
  reply: SavedReply
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
    <Dialog title={texts.write} class="saved-dialog" closedBy="none" onClose={onClose}>
      <Form submitText={strings.app.save} onSubmit={save}>
        <Field
          name="title"
          label={texts.titleField}
          required
          autofocus
          maxLength={maxSavedReplyTitle}
          defaultValue={reply.title}
          dir="auto"
        />
        <Field
          name="text"
          label={texts.textField}
          hint={texts.variables}
          rows={8}
          required
          maxLength={maxMessageLength}
          defaultValue={reply.text}
          dir="auto"
        />
        {current.member.role === 'admin' && (
          <Check name="isShared" defaultChecked={reply.isShared}>
            {texts.share}
          </Check>
        )}
      </Form>
    </Dialog>
  )
}
