import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ContactData } from '../../contract/index.ts'
import { eraseContact, retrieveContactData } from '../api/contactData.ts'
import { Sheet } from './Sheet.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Shows what is stored about the contact, and erases it when the visitor has confirmed that. */
export function ContactDataDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { conversation, signIn } = useWidget()
  const strings = useStrings()
  const data = useSignal<ContactData | undefined>(undefined)
  const step = useSignal<'shown' | 'asked' | 'erasing'>('shown')
  const isOpen = useRef(true)
  const isWanted = () => isOpen.current
  const closeIfOpen = () => isOpen.current && onClose()
  useLayoutEffect(() => {
    void retrieveContactData(conversation.send, isWanted).then(found => {
      if (found) data.value = found
      else closeIfOpen()
    })
    return () => {
      isOpen.current = false
    }
  }, [])
  const erase = async () => {
    step.value = 'erasing'
    await eraseContact(conversation.send, isWanted)
    closeIfOpen()
  }
  if (!data.value || step.value === 'erasing' || signIn.isViewHidden.value)
    return (
      <Sheet title={strings.yourData} onClose={onClose}>
        <p role="status">{strings.oneMoment}</p>
      </Sheet>
    )
  if (step.value === 'asked')
    return (
      <Sheet title={strings.eraseAsk} action={{ label: strings.eraseData, run: erase }} onClose={onClose}>
        <p>{strings.eraseHint}</p>
      </Sheet>
    )
  const { name, email, phone, messages, attachments, createdAt } = data.value
  const ask = () => {
    step.value = 'asked'
  }
  return (
    <Sheet title={strings.yourData} action={{ label: strings.eraseData, run: ask }} onClose={onClose}>
      <p translate={false}>
        <bdi>{name}</bdi>
        <br />
        <bdi>{email}</bdi>
        <br />
        <bdi>{phone}</bdi>
      </p>
      <dl>
        <dt>{strings.messages}</dt>
        <dd>{messages.toLocaleString(strings.lang)}</dd>
        <dt>{strings.attachments}</dt>
        <dd>{attachments.toLocaleString(strings.lang)}</dd>
        <dt>{strings.since}</dt>
        <dd>{new Date(createdAt).toLocaleDateString(strings.lang, { dateStyle: 'long' })}</dd>
      </dl>
    </Sheet>
  )
}
