import { effect } from '@preact/signals-core'
import type { FakePlatform } from './fakePlatform.ts'
import type { Tab } from './fixtures.ts'
import type { Actor } from './simulationPlans.ts'

/**
 * Each text of a simulation begins with a label for its owner: a contact's id, `anonymous`, or for what the page
 * says for the visitor, `held` while a login is under way and `unknown` while the site is asked who is signed in. Texts that
 * another person sees are added to `violations`.
 */
export function createLabels(platform: FakePlatform, violations: string[]) {
  /** The contact who got an `unknown` text first. No other may get it later. `nobody`: no contact may get it any more. */
  const owners = new Map<string, string>()
  const contactIn = (tab: Tab) => tab.core.models.session.contact.peek()?.id

  /** Returns the contact whose session is stored and whom the site has still to confirm. */
  function hiddenContactIn(tab: Tab): string | undefined {
    const { session, signIn } = tab.core.models
    return signIn.isViewHidden.peek() ? platform.sessions.get(session.token() ?? '')?.contact?.id : undefined
  }

  /** Returns the owner of what is written in a tab now. */
  function labelIn(tab: Tab): string {
    const { session, signIn } = tab.core.models
    const status = session.status.peek()
    if (status === 'identified') return contactIn(tab) as string
    const hiddenContact = hiddenContactIn(tab)
    if (hiddenContact) return hiddenContact
    // Somebody logs in, or the site has just named somebody.
    if (status === 'identifying') return 'held'
    if (!signIn.canWrite.peek()) return 'unknown'
    return status === 'anonymous' ? status : 'held'
  }

  function isForeign(tab: Actor, text: string): boolean {
    // A contact's unsent text goes on through a login of the same contact, and is not shown until the contact is known.
    if (isLoggingInUnseen(tab)) return false
    const [label = ''] = text.split(':')
    const contact = contactIn(tab) ?? hiddenContactIn(tab)
    if (label !== 'unknown') return !['', 'held', contact ?? 'anonymous'].includes(label)
    if (contact && !owners.has(text)) owners.set(text, contact)
    return contact !== undefined && owners.get(text) !== contact
  }

  function isLoggingInUnseen(tab: Actor): boolean {
    const { session, signIn } = tab.core.models
    return session.status.value === 'identifying' && signIn.isViewHidden.value
  }

  function watch(tab: Actor) {
    const { session, conversation, draft } = tab.core.models
    return effect(() => {
      session.contact.value
      const texts = [
        // The page's text comes after what the visitor has written.
        ...draft.text.value.split('\n'),
        conversation.reply.streaming.value?.text ?? '',
        ...conversation.messageStore.messages.value.map(({ text }) => text),
        ...conversation.outbox.pending.value.map(({ text }) => text),
      ]
      for (const text of texts) {
        if (isForeign(tab, text)) violations.push(`${tab.name} shows "${text}" to ${labelIn(tab)}`)
      }
    })
  }

  return {
    contactIn,
    labelIn,
    watch,
    /** The owner of a text that was written while the site was asked. */
    ownerOf: (text: string) => owners.get(text),
    /**
     * From now on somebody else may write in the tab. No contact may get these texts unless one has them already: one whom the
     * site has named, though the session may still be being opened.
     */
    disown(tab: Tab, texts: readonly string[]) {
      const owner = contactIn(tab) ?? hiddenContactIn(tab) ?? 'nobody'
      for (const text of texts) if (text.startsWith('unknown:') && !owners.has(text)) owners.set(text, owner)
    },
  }
}
