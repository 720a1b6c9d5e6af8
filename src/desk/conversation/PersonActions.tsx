import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useDesk } from '../DeskContext.ts'
import { ConfirmDialog } from '../Dialog.tsx'
import { Icon, morePath } from '../Icon.tsx'
import { interpolate } from '../i18n/format.ts'
import { useConversation, useConversationTexts, useVisitorName } from './ConversationContext.ts'

type Action = 'signOut' | 'export' | 'block' | 'eraseContact' | 'eraseGuest'

/** The menu of what the member may do about the person, each after a question. */
export function PersonActions(): JSX.Element | null {
  const { current } = useDesk()
  const { thread } = useConversation()
  const texts = useConversationTexts().personActions
  const name = useVisitorName()
  const menu = useRef<HTMLDivElement>(null)
  const [asked, setAsked] = useState<Action | null>(null)
  const { contact, signedInSince, isBlocked } = thread.person.value
  const isAdmin = current.member.role === 'admin'
  const actions: Action[] = contact
    ? [...(signedInSince ? ['signOut' as const] : []), ...(isAdmin ? (['export', 'eraseContact'] as const) : [])]
    : [...(isBlocked ? [] : ['block' as const]), ...(isAdmin ? ['eraseGuest' as const] : [])]
  if (actions.length === 0) return null

  async function run(action: Action) {
    if (action === 'signOut') await thread.signOutEverywhere()
    else if (action === 'block') await thread.block()
    else if (action === 'export') {
      const exported = await thread.exportPerson()
      if (exported) saveJson(`contact-${contact?.id}.json`, exported)
    } else await thread.erase()
  }
  return (
    <>
      <button type="button" class="icon-button" popovertarget="person-menu" aria-label={texts.menu} title={texts.menu}>
        <Icon path={morePath} />
      </button>
      <div ref={menu} id="person-menu" class="menu person-menu" popover="auto">
        {actions.map(action => (
          <button
            key={action}
            type="button"
            class="button"
            onClick={() => {
              // First, so that the focus returns to the button of the menu after the question.
              menu.current?.hidePopover()
              setAsked(action)
            }}
          >
            {texts[action].confirm}
          </button>
        ))}
      </div>
      {asked && (
        <ConfirmDialog
          title={interpolate(texts[asked].title, { name })}
          hint={`${interpolate(texts[asked].hint, { name })} ${texts.recorded}`}
          confirm={texts[asked].confirm}
          typed={asked.startsWith('erase') ? name : undefined}
          onConfirm={() => void run(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

/** Saves a value as a file of the member's computer. */
function saveJson(name: string, value: unknown): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Safari reads it later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
