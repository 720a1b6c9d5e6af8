import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import type { SavedReply } from '../../contract/desk.ts'
import { useDesk } from '../DeskContext.ts'
import { ConfirmDialog } from '../Dialog.tsx'
import { SavedReplyDialog } from './SavedReplyDialog.tsx'

type Shown = { kind: 'nothing' | 'failed' } | { kind: 'edit' | 'remove'; reply: Omit<SavedReply, 'updatedAt'> }

/** Lists saved replies, where members write their own, and admins those of the team. */
export function SavedRepliesPage(): JSX.Element {
  const { current, savedReplies, strings } = useDesk()
  const texts = strings.saved
  const shown = useSignal<Shown>({ kind: 'nothing' })
  const show = (next: Shown) => {
    shown.value = next
  }
  const hide = () => show({ kind: 'nothing' })
  useLayoutEffect(() => void savedReplies.load(), [])
  const isAdmin = current.member.role === 'admin'
  const all = savedReplies.all.value
  const { value } = shown

  return (
    <main class="page">
      <header class="page-header">
        <h1>{texts.title}</h1>
        <button
          type="button"
          class="button primary"
          onClick={() =>
            show({ kind: 'edit', reply: { id: crypto.randomUUID(), title: '', text: '', isShared: false } })
          }
        >
          {texts.add}
        </button>
      </header>
      <p class="meta">{texts.hint}</p>
      <p class="failure" role="alert">
        {(value.kind === 'failed' || savedReplies.hasFailed.value) && strings.app.actionFailed}
      </p>
      {all?.length === 0 && <p class="empty">{texts.none}</p>}
      <ul class="saved-list">
        {all?.map(reply => (
          <li key={reply.id}>
            <div class="saved-text">
              <h2 dir="auto">{reply.title}</h2>
              <p class="row-text" dir="auto">
                {reply.text}
              </p>
              <p class="meta">{reply.isShared ? texts.shared : texts.own}</p>
            </div>
            {(isAdmin || !reply.isShared) && (
              <div class="saved-actions">
                <button
                  type="button"
                  class="button"
                  aria-label={`${texts.edit}: ${reply.title}`}
                  onClick={() => show({ kind: 'edit', reply })}
                >
                  {texts.edit}
                </button>
                <button
                  type="button"
                  class="button"
                  aria-label={`${texts.remove}: ${reply.title}`}
                  onClick={() => show({ kind: 'remove', reply })}
                >
                  {texts.remove}
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {value.kind === 'edit' && <SavedReplyDialog reply={value.reply} onClose={hide} />}
      {value.kind === 'remove' && (
        <ConfirmDialog
          title={texts.removeAsk}
          hint={value.reply.title}
          confirm={texts.remove}
          onConfirm={() => savedReplies.remove(value.reply.id).catch(() => show({ kind: 'failed' }))}
          onClose={hide}
        />
      )}
    </main>
  )
}
