import type { Message } from '../../contract/index.ts'
import { deltaEveryMs } from '../domain/streamAnswer.ts'
import { createScriptedResponder } from './scriptedResponder.ts'
import { advanceUntil, createTestTenants } from './testTenants.ts'

/** A contact with an open event stream, whose messages a scripted responder answers. To be called in a test. */
export async function startTalk(options: Parameters<typeof createTestTenants>[0] = {}) {
  const scripted = createScriptedResponder()
  const tenants = await createTestTenants({ responder: scripted.responder, ...options })
  const { ours, clock, store } = tenants
  const contact = await ours.createContact()
  const token = await ours.contactToken(contact.id)
  const events = await ours.events(token)
  return {
    ...scripted,
    ...{ tenants, ours, clock, store, contact, token, events },
    send: (text = 'Hello?', id?: string) => ours.send(token, text, id),
    /** As an agent. */
    write: (json: object) => ours.call('POST', `/contacts/${contact.id}/messages`, { json }),
    /** What the responder says at last. */
    async finish(text: string) {
      await scripted.say({ text })
      await scripted.say('end')
    },
    messages: () => ours.messages(token),
    /** The texts of the messages; of an event, its name. */
    said: async () => (await ours.messages(token)).map(({ event, text }) => event ?? text),
    nextDelta: async (stream = events) =>
      (await advanceUntil(clock, deltaEveryMs, stream.nextOf('message.delta'))).data,
    /** The next message of somebody else. */
    async reply(): Promise<Message> {
      for (;;) {
        const { data } = await events.nextOf('message')
        if (data['author'] !== 'visitor') return data as unknown as Message
      }
    },
  }
}
