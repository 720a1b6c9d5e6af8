import { effect } from '@preact/signals-core'
import type { Tab } from './fixtures.ts'
import type { Actor } from './simulationPlans.ts'

/**
 * Each text of a simulation begins with a label for its owner. Texts that another person sees are added to `violations`.
 */
export function createLabels(violations: string[]) {
  const contactIn = (tab: Tab) => tab.core.models.session.contact.peek()?.id
  /** Returns the owner of what is written in a tab now. */
  function labelIn(tab: Tab): string {
    const status = tab.core.models.session.status.peek()
    if (status === 'identified') return contactIn(tab) as string
    const { isOnHold, isUnreachable } = tab.core.models.signIn
    if (isOnHold.peek() || isUnreachable.peek()) return 'held'
    return status === 'anonymous' ? status : 'held'
  }

  function isForeign(tab: Actor, text: string): boolean {
    const [label = ''] = text.split(':')
    return !['', 'held', contactIn(tab) ?? 'anonymous'].includes(label)
  }

  function watch(tab: Actor) {
    const { session, conversation, draft } = tab.core.models
    return effect(() => {
      session.contact.value
      const texts = [
        draft.text.value,
        conversation.reply.streaming.value?.text ?? '',
        ...conversation.messageStore.messages.value.map(({ text }) => text),
        ...conversation.outbox.pending.value.map(({ text }) => text),
      ]
      for (const text of texts) {
        if (isForeign(tab, text)) violations.push(`${tab.name} shows "${text}" to ${labelIn(tab)}`)
      }
    })
  }

  return { contactIn, labelIn, watch }
}
