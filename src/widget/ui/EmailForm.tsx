import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Message } from '../../contract/index.ts'
import type { WidgetModels } from '../app/createApp.ts'
import { LiveText } from './elements.tsx'
import { lastOfTeam } from './groupMessages.ts'
import { interpolate } from './interpolate.ts'
import { useLazyPart } from './LazyPartsContext.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Whether the visitor can leave an email address: the site says where a contact can be answered. */
export const canLeaveEmail = ({ session, signIn, conversation }: WidgetModels): boolean =>
  !!conversation.botProfile.profile.value?.email &&
  session.authState.value === 'anonymous' &&
  signIn.canWrite.value &&
  conversation.messageStore.messages.value.length > 0

/** Whether the visitor waits for a person, or nobody had time and the bot has not answered since. */
const isWaiting = (messages: readonly Message[]): boolean =>
  lastOfTeam(messages)?.event === 'handover_requested' ||
  messages.findLast(({ author }) => author !== 'visitor')?.event === 'handover_expired'

/** Asks an anonymous visitor for an email address at the end of the transcript, while nobody is there or if the menu says so. */
export function EmailForm(): JSX.Element | null {
  const models = useWidget()
  const { session, conversation } = models
  const strings = useStrings()
  const request = useLazyPart('more')?.emailRequest
  const isRequested = request?.value === session.scopeKey.value
  const takesFocus = useRef(false)
  const input = useRef<HTMLInputElement>(null)
  const status = useSignal<'untouched' | 'touched' | 'sending' | 'invalid' | 'failed' | 'left'>('untouched')
  const leftEmail = useSignal('')
  // The field is there one render after the request.
  useLayoutEffect(() => {
    if (request && isRequested) {
      takesFocus.current = true
      status.value = 'touched'
      request.value = null
    } else if (takesFocus.current) {
      takesFocus.current = false
      input.current?.focus()
    }
  })

  if (!canLeaveEmail(models)) return null
  if (status.value === 'left') return <p class="rule">{interpolate(strings.emailSent, leftEmail.value)}</p>
  const isOffered = !conversation.hasEmail.value && isWaiting(conversation.messageStore.messages.value)
  // What the visitor has begun to write stays.
  if (status.value === 'untouched' && !isOffered) return null

  async function leave(event: Event) {
    event.preventDefault()
    const field = input.current
    if (!field || status.peek() === 'sending') return
    if (field.validity.valid) {
      leftEmail.value = field.value
      status.value = 'sending'
      status.value = await conversation.leaveEmail(field.value)
    } else status.value = 'invalid'
    field.focus()
  }
  const { sending, failed, emailInvalid } = strings
  const text = { sending, failed, invalid: emailInvalid, touched: '', untouched: '' }[status.value]
  return (
    // The browser would say in its own language, and in a bubble, that something is wrong.
    <form class="email" noValidate onSubmit={leave}>
      <label for="email">{strings.emailAsk}</label>
      <input
        id="email"
        ref={input}
        type="email"
        name="email"
        autocomplete="email"
        required
        // Says in every language what it is.
        placeholder="name@example.com"
        dir="ltr"
        aria-invalid={status.value === 'invalid'}
        aria-describedby="email-status"
        onInput={() => {
          if (status.peek() !== 'sending') status.value = 'touched'
        }}
      />
      <button type="submit">{strings.send}</button>
      <p id="email-status" role="alert">
        <LiveText text={text} />
      </p>
    </form>
  )
}
