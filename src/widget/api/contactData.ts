import type { ContactData } from '../../contract/index.ts'
import { createGuard } from './guards.ts'
import { randomUuid } from './randomUuid.ts'
import type { RequestSpec } from './requester.ts'

/**
 * Sends a request of the visitor, and repeats it as long as it is wanted. Resolves to `undefined` if it is refused, and when the
 * session ends.
 */
export type SendAsVisitor = <Data>(spec: RequestSpec<Data>, isWanted: () => boolean) => Promise<Data | undefined>

const isAnswer = createGuard<{ data: ContactData; nonce: string }>({
  data: { name: '', email: '', phone: '', createdAt: '', messages: 0, attachments: 0 },
  nonce: '',
})

/** Asks what is stored about the contact. The answer must have the nonce of the request, as that of each personal read. */
export function retrieveContactData(send: SendAsVisitor, isWanted: () => boolean): Promise<ContactData | undefined> {
  let nonce = ''
  const spec: RequestSpec<ContactData> = {
    method: 'POST',
    path: '/contact/retrieve',
    body() {
      nonce = randomUuid()
      return { nonce }
    },
    async read(response) {
      const answer: unknown = JSON.parse(await response.text())
      return isAnswer(answer) && answer.nonce === nonce ? answer : undefined
    },
  }
  return send(spec, isWanted)
}

/** Erases the contact with everything that is stored about it. The session then ends. */
export async function eraseContact(send: SendAsVisitor, isWanted: () => boolean): Promise<void> {
  const spec: RequestSpec<true> = { method: 'DELETE', path: '/contact', read: async () => ({ data: true }) }
  // The repetition is told that the session has ended, so that it also ends in a tab without an event stream.
  if (await send(spec, isWanted)) await send(spec, () => true)
}
