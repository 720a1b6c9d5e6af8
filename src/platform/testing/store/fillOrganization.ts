import type { BotScope, Store } from '../../store/store.ts'
import { readFile, uploadFile } from './files.ts'
import { at, newContact, newHash, newMessage, newRequest, newSession, signIn } from './storeTenants.ts'

/** Makes rows of the organization in every table. */
export async function fillOrganization(store: Store, scope: BotScope) {
  await store.updateBot(scope.botId, {
    events: { url: 'https://example.com', secret: 'whsec_a' },
    texts: { unknown: 'No idea.' },
  })
  const token = {
    hash: newHash(),
    prefix: `o_${newHash().slice(0, 8)}`,
    organizationId: scope.organizationId,
    dev: false,
  }
  await store.createOrganizationToken({ ...token, createdAt: at(0), lastUsedAt: at(1), revokedAt: null })
  const request = newRequest()
  const grace = newContact('Grace')
  await store.createContact(scope, grace, request)
  await store.upsertContacts(
    scope,
    Array.from({ length: 1000 }, (_, index) => newContact(`N${index}`)),
  )
  // The key of an upsert, which belongs to no contact, and that of a contact that was deleted since.
  const keyedUpsert = { entries: [newContact('Uma')], request: newRequest() }
  await store.upsertContacts(scope, keyedUpsert.entries, keyedUpsert.request)
  const erased = { contact: newContact('Eve'), request: newRequest() }
  await store.createContact(scope, erased.contact, erased.request)
  await store.deleteContact({ ...scope, contactId: erased.contact.id }, at(1))
  const person = await signIn(store, scope)
  const visitor = newSession()
  await store.createVisitorSession(scope.botId, visitor)
  for (const { hash } of [person, visitor])
    await store.appendVisitorMessage(hash, { ...newMessage('“hello” 👩‍🚀\n\\'), locale: 'de-AT' })
  const waiting = newSession()
  await store.createVisitorSession(scope.botId, waiting)
  await store.requestHandover(waiting.hash, { at: at(5), until: at(400) })
  const fileId = await uploadFile(store, { sessionHash: person.hash })
  await store.appendVisitorMessage(person.hash, { ...newMessage('See'), files: [{ id: fileId, name: 'a.png' }] })
  await store.leaseTurns(scope.botId, at(4), at(9), 1)
  return { scope, person, visitor, waiting, grace, request, keyedUpsert, erased, token, fileId }
}

export type FilledOrganization = Awaited<ReturnType<typeof fillOrganization>>

/** What a store says of it. */
export async function readOrganization(store: Store, { scope, person, visitor, token, fileId }: FilledOrganization) {
  const everything = { name: '', rest: '' }
  return {
    bots: await store.listBots(scope.organizationId),
    tokens: await store.listOrganizationTokens(scope.organizationId),
    token: await store.findOrganizationToken(token.hash),
    contacts: await store.searchContacts(scope, { text: everything, page: 1, limit: 20 }),
    found: await store.searchContacts(scope, { text: { name: 'n99', rest: 'n99' }, page: 1, limit: 20 }),
    contact: await store.exportContact(person.scope),
    file: (await readFile(store, person.conversationId, fileId)).toString('hex'),
    session: await store.findSession(visitor.hash),
    conversations: await store.listConversations(scope, { limit: 9 }),
  }
}
