import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { SavedReply } from '../../contract/desk.ts'
import { useDesk } from '../DeskContext.ts'
import { ConfirmDialog } from '../Dialog.tsx'
import { Loaded } from '../Loaded.tsx'
import { SavedReplyDialog } from './SavedReplyDialog.tsx'

/** Lists saved replies, where members write their own, and admins those of the team. */
export function SavedRepliesPage(): JSX.Element {
  const { current, savedReplies, strings } = useDesk()
  const texts = strings.saved
  const [dialog, setDialog] = useState<{ kind: 'edit' | 'remove'; reply: SavedReply } | null>(null)
  const [problem, setProblem] = useState('')
  const close = () => setDialog(null)
  useLayoutEffect(() => void savedReplies.load(), [])
  const isAdmin = current.member.role === 'admin'
  const button = (kind: 'edit' | 'remove', reply: SavedReply) => (
    <button
      type="button"
      class="button"
      aria-label={`${texts[kind]}: ${reply.title}`}
      onClick={() => {
        setProblem('')
        setDialog({ kind, reply })
      }}
    >
      {texts[kind]}
    </button>
  )
  return (
    <main class="page">
      <header class="page-header">
        <h1>{texts.title}</h1>
        <button
          type="button"
          class="button primary"
          onClick={() =>
            setDialog({ kind: 'edit', reply: { id: crypto.randomUUID(), title: '', text: '', isShared: false } })
          }
        >
          {texts.add}
        </button>
      </header>
      <p class="meta">{texts.hint}</p>
      <p class="failure" role="alert">
        {problem}
      </p>
      <Loaded from={savedReplies}>
        {all => (
          <>
            {all.length === 0 && <p class="empty">{texts.none}</p>}
            <ul class="rows">
              {all.map(reply => (
                <li key={reply.id}>
                  <div>
                    <h2 dir="auto">{reply.title}</h2>
                    <p class="row-text" dir="auto">
                      {reply.text}
                    </p>
                    <p class="meta">{reply.isShared ? texts.shared : texts.own}</p>
                  </div>
                  {(isAdmin || !reply.isShared) && (
                    <span class="buttons">
                      {button('edit', reply)}
                      {button('remove', reply)}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {dialog?.kind === 'edit' && <SavedReplyDialog reply={dialog.reply} onClose={close} />}
      {dialog?.kind === 'remove' && (
        <ConfirmDialog
          title={texts.removeAsk}
          hint={dialog.reply.title}
          confirm={texts.remove}
          onConfirm={() => savedReplies.remove(dialog.reply.id).catch(() => setProblem(strings.app.actionFailed))}
          onClose={close}
        />
      )}
    </main>
  )
}
