import type { ContactData } from '../../contract/index.ts'
import { createGuard } from './guards.ts'
import { personalSpec } from './personalSpec.ts'
import type { RequestSpec } from './requester.ts'

/**
 * Sends a request of the visitor, and repeats it as long as it is wanted. Resolves to `undefined` if it is refused, and when the
 * session ends.
 */
export type SendAsVisitor = <Data>(spec: RequestSpec<Data>, isWanted: () => boolean) => Promise<Data | undefined>

const isContactData = createGuard<ContactData>({
  name: '',
  email: '',
  phone: '',
  createdAt: '',
  messages: 0,
  attachments: 0,
})

/** Asks what is stored about the contact. */
export const retrieveContactData = (send: SendAsVisitor, isWanted: () => boolean): Promise<ContactData | undefined> =>
  send(personalSpec('/contact/retrieve', isContactData), isWanted)

/** Erases the contact with everything that is stored about it. The session then ends. */
export async function eraseContact(send: SendAsVisitor, isWanted: () => boolean): Promise<void> {
  const spec: RequestSpec<true> = { method: 'DELETE', path: '/contact', read: async () => ({ data: true }) }
  // The repetition is told that the session has ended, so that it also ends in a tab without an event stream.
  if (await send(spec, isWanted)) await send(spec, () => true)
}
