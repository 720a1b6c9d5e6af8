import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { NewUpload, Store } from '../../store/store.ts'
import { fileBytes, newUpload, readFile, storedAs, uploadFile } from './files.ts'
import { at, newMessage, newRequest, newSession, signIn, useStore } from './storeTenants.ts'

const hour = 60 * 60
export function describeAttachments(open: () => Promise<Store>): void {
  const start = useStore(open)

  describe('files', () => {
    it('are read as they were written, by their session only until a message has them', async () => {
      const { store, ours } = await start()
      const { hash, conversationId, contact, scope } = await signIn(store, ours)
      const other = newSession()
      await store.createContactSession(scope, { contactId: contact.id }, other)
      const team = { scope: ours, conversationId }
      const id = await uploadFile(store, { sessionHash: hash })
      const { upload: stored } = storedAs(id)
      expect(await store.findFile({ sessionHash: hash }, id, at(9))).toEqual({ conversationId, upload: stored })
      expect(await readFile(store, conversationId, id)).toEqual(fileBytes)
      for (const reader of [{ sessionHash: other.hash }, team])
        expect(await store.findFile(reader, id, at(9))).toBeNull()
      const message = { ...newMessage('See'), files: [{ id, name: 'a.bat' }] }
      expect(await store.appendVisitorMessage(other.hash, message)).toBe('file_missing')
      const sent = await store.appendVisitorMessage(hash, message)
      const attachments = [{ ...stored, name: 'a.bat.png' }]
      expect(sent).toMatchObject({ message: { attachments }, repeated: false })
      for (const reader of [{ sessionHash: hash }, { sessionHash: other.hash }, team])
        expect(await store.findFile(reader, id, at(9))).toEqual({ conversationId, upload: stored, name: 'a.bat.png' })
      expect(await store.listMessages(conversationId, { limit: 1 })).toMatchObject([{ attachments }])
      const [listed] = (await store.listConversations(ours, { limit: 1 })) as { lastMessage: unknown }[]
      expect(listed?.lastMessage).toMatchObject({ attachments })
      expect((await store.exportContact(scope))?.messages).toMatchObject([{ attachments }])
    })

    it('belong to one message, which may be sent again with the same files only', async () => {
      const { store, ours } = await start()
      const { hash } = await signIn(store, ours)
      const id = await uploadFile(store, { sessionHash: hash })
      const message = { ...newMessage('See'), files: [{ id, name: 'a.png' }] }
      await store.appendVisitorMessage(hash, message)
      expect(await store.appendVisitorMessage(hash, message)).toMatchObject({ repeated: true })
      expect(await store.appendVisitorMessage(hash, { ...message, files: [] })).toBe('reused')
      expect(await store.appendVisitorMessage(hash, { ...message, id: randomUUID() })).toBe('file_missing')
    })

    it('of the team are attached to its own messages, in its own conversations', async () => {
      const { store, ours, sibling, otherOrganization } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      const id = await uploadFile(store, { scope: ours, conversationId })
      for (const scope of [sibling, otherOrganization]) {
        expect(await store.findFile({ scope, conversationId }, id, at(9))).toBeNull()
        expect(await store.beginUpload({ scope, conversationId }, newUpload())).toBe('ended')
      }
      const files = [{ id, name: 'a.png' }]
      expect(await store.appendVisitorMessage(hash, { ...newMessage('Mine'), files })).toBe('file_missing')
      const which = { conversationId, newConversationId: '' }
      const message = { ...newMessage('Here', { author: 'agent' }), files }
      const sent = await store.appendAgentMessage(ours, which, message, null)
      expect(sent).toMatchObject({ message: { attachments: files } })
      expect(await store.appendAgentMessage(ours, which, message, null)).toMatchObject({ repeated: true })
      expect(await store.findFile({ sessionHash: hash }, id, at(9))).toMatchObject({ name: 'a.png' })
    })

    it('are stored once: a later attempt replaces what an interrupted one has left, which can store nothing more', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      const first = newUpload()
      expect(await store.beginUpload({ sessionHash: hash }, first)).toEqual({ conversationId })
      const attempt = { conversationId, id: first.id, attemptId: first.attemptId }
      expect(await store.appendUpload(attempt, 0, Buffer.from('half of it'))).toBe(true)
      expect(await store.findFile({ sessionHash: hash }, first.id, at(9))).toBeNull()
      await uploadFile(store, { sessionHash: hash }, first.id)
      expect(await store.appendUpload(attempt, 1, Buffer.from('more'))).toBe(false)
      expect(await store.completeUpload({ sessionHash: hash }, attempt, storedAs(first.id), at(4))).toBe(false)
      await store.cancelUpload(attempt)
      expect(await readFile(store, conversationId, first.id)).toEqual(fileBytes)
      expect(await store.beginUpload({ sessionHash: hash }, newUpload({ id: first.id }))).toEqual(storedAs(first.id))
      const other = await signIn(store, ours, 'Grace')
      expect(await store.beginUpload({ sessionHash: other.hash }, newUpload({ id: first.id }))).toMatchObject({
        conversationId: other.conversationId,
      })
      expect(await store.beginUpload({ scope: ours, conversationId }, newUpload({ id: first.id }))).toBe('taken')
    })

    it('need an open session, also at the end of the upload', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      const begun = newUpload()
      await store.beginUpload({ sessionHash: hash }, begun)
      await store.endSession(ours.botId, hash, 'revoked', at(4))
      const attempt = { conversationId, id: begun.id, attemptId: begun.attemptId }
      expect(await store.completeUpload({ sessionHash: hash }, attempt, storedAs(begun.id), at(5))).toBe('ended')
      expect(await store.beginUpload({ sessionHash: hash }, newUpload({ createdAt: at(5) }))).toBe('ended')
    })

    it('are limited by conversation, by bot and by day, including those that are still arriving', async () => {
      const { store, ours } = await start()
      const [ada, grace] = [await signIn(store, ours), await signIn(store, ours)]
      const begin = (hash: string, kibibytes: number, overrides: Partial<NewUpload> = {}) =>
        store.beginUpload({ sessionHash: hash }, newUpload({ reservedBytes: 1024 * kibibytes, ...overrides }))
      expect(await begin(ada.hash, 1000)).toMatchObject({ conversationId: ada.conversationId })
      expect(await begin(ada.hash, 1)).toBe('full')
      expect(await begin(grace.hash, 501)).toBe('full')
      expect(await begin(grace.hash, 500)).toMatchObject({ conversationId: grace.conversationId })
      const tomorrow = newSession({ expiresAt: at(1e7) })
      await store.createContactSession(ada.scope, { contactId: ada.contact.id }, tomorrow)
      expect(await begin(tomorrow.hash, 1000, { createdAt: at(24 * hour) })).toMatchObject({})
    })

    it('that exceed a limit leave the former upload with their id as it was, whose bytes do not count', async () => {
      const { store, ours } = await start()
      const { hash, scope, contact, conversationId } = await signIn(store, ours)
      const { hash: later } = newSession()
      await store.createContactSession(scope, { contactId: contact.id }, newSession({ hash: later }))
      const id = await uploadFile(store, { sessionHash: hash })
      const begin = (kibibytes: number) =>
        store.beginUpload({ sessionHash: later }, newUpload({ id, reservedBytes: 1024 * kibibytes }))
      expect(await begin(1001)).toBe('full')
      expect(await readFile(store, conversationId, id)).toEqual(fileBytes)
      expect(await begin(1000)).toEqual({ conversationId })
      expect(await readFile(store, conversationId, id)).toHaveLength(0)
    })

    it('are deleted by their own uploader until a message has them, and then count for no limit', async () => {
      const { store, ours, sibling } = await start()
      const { hash, scope, contact, conversationId } = await signIn(store, ours)
      const other = newSession()
      await store.createContactSession(scope, { contactId: contact.id }, other)
      const team = { scope: ours, conversationId }
      const [unsent, sent] = [
        await uploadFile(store, { sessionHash: hash }),
        await uploadFile(store, { sessionHash: hash }),
      ]
      const ofTeam = await uploadFile(store, team)
      await store.appendVisitorMessage(hash, { ...newMessage('See'), files: [{ id: sent, name: 'a.png' }] })
      for (const uploader of [{ sessionHash: other.hash }, team, { scope: sibling, conversationId }])
        expect(await store.deleteUpload(uploader, unsent, at(4))).toBe(false)
      expect(await store.deleteUpload({ sessionHash: hash }, sent, at(4))).toBe(false)
      expect(await store.deleteUpload({ sessionHash: hash }, ofTeam, at(4))).toBe(false)
      for (const id of [unsent, sent]) expect(await readFile(store, conversationId, id)).toEqual(fileBytes)

      const all = newUpload({ reservedBytes: 900 * 1024 })
      const begin = (reservedBytes: number) => store.beginUpload({ sessionHash: hash }, newUpload({ reservedBytes }))
      expect(await store.beginUpload({ sessionHash: hash }, all)).toEqual({ conversationId })
      expect(await begin(100 * 1024)).toBe('full')
      const attempt = { conversationId, id: all.id, attemptId: all.attemptId }
      await store.appendUpload(attempt, 0, fileBytes)
      expect([
        await store.deleteUpload({ sessionHash: hash }, all.id, at(4)),
        await store.deleteUpload({ sessionHash: hash }, all.id, at(4)),
      ]).toEqual([true, false])
      expect(await store.appendUpload(attempt, 1, fileBytes)).toBe(false)
      expect(await readFile(store, conversationId, all.id)).toHaveLength(0)
      expect(await begin(100 * 1024)).toEqual({ conversationId })
      expect(await store.deleteUpload({ sessionHash: hash }, unsent, at(4))).toBe(true)
      expect(await store.findFile({ sessionHash: hash }, unsent, at(9))).toBeNull()
      expect(await store.deleteUpload(team, ofTeam, at(4))).toBe(true)
      await store.endSession(ours.botId, hash, 'revoked', at(4))
      expect(await store.deleteUpload({ sessionHash: hash }, sent, at(5))).toBe(false)
    })

    it('count for the limits with at least 16 KiB each, because a million small ones would take as much room', async () => {
      const { store, ours } = await start()
      const [ada, grace] = [await signIn(store, ours), await signIn(store, ours)]
      const limits = { ofConversation: 40 * 1024, ofBot: 60 * 1024 }
      const upload = ({ hash }: { hash: string }) =>
        store.beginUpload({ sessionHash: hash }, newUpload({ reservedBytes: 1, limits }))
      const [first, second, third] = [await upload(ada), await upload(ada), await upload(ada)]
      expect([first, second]).toMatchObject([{}, {}])
      expect(third).toBe('full')
      expect(await upload(grace)).toMatchObject({})
      expect(await upload(grace)).toBe('full')
    })

    it('that begin at the same moment in many conversations stay within the limit of the bot', async () => {
      const { store, ours } = await start()
      const people = await Promise.all(Array.from({ length: 12 }, () => signIn(store, ours)))
      const limits = { ofConversation: 1024 ** 2, ofBot: 3 * 1024 ** 2 }
      const begun = await Promise.all(
        people.map(({ hash }) =>
          store.beginUpload({ sessionHash: hash }, newUpload({ reservedBytes: 1024 ** 2, limits })),
        ),
      )
      expect(begun.filter(result => result === 'full')).toHaveLength(9)
    })

    it('of a visitor whose session is another one by now are repeated or replaced, and never read', async () => {
      const { store, ours } = await start()
      const { hash, scope, contact, conversationId } = await signIn(store, ours)
      const { hash: later } = newSession()
      await store.createContactSession(scope, { contactId: contact.id }, newSession({ hash: later }))
      const [sent, waiting] = [
        await uploadFile(store, { sessionHash: hash }),
        await uploadFile(store, { sessionHash: hash }),
      ]
      await store.appendVisitorMessage(hash, { ...newMessage('See'), files: [{ id: sent, name: 'a.png' }] })
      expect(await store.beginUpload({ sessionHash: later }, newUpload({ id: sent }))).toEqual(storedAs(sent))
      expect(await store.findFile({ sessionHash: later }, waiting, at(9))).toBeNull()
      await uploadFile(store, { sessionHash: later }, waiting)
      expect(await store.findFile({ sessionHash: hash }, waiting, at(9))).toBeNull()
      const message = { ...newMessage('See'), files: [{ id: waiting, name: 'a.png' }] }
      expect(await store.appendVisitorMessage(later, message)).toMatchObject({ repeated: false })
      const team = { scope: ours, conversationId }
      for (const id of [sent, waiting]) expect(await store.beginUpload(team, newUpload({ id }))).toBe('taken')
      const theirs = await uploadFile(store, team)
      expect(await store.beginUpload({ sessionHash: hash }, newUpload({ id: theirs }))).toBe('taken')
    })

    it('of a contact are erased a few at a time, so that one with many can be deleted', async () => {
      const { store, ours, sibling } = await start()
      const [ada, grace] = [await signIn(store, ours), await signIn(store, ours)]
      const ids: string[] = []
      for (let count = 0; count < 13; count++) ids.push(await uploadFile(store, { sessionHash: ada.hash }))
      const kept = await uploadFile(store, { sessionHash: grace.hash })
      const left = async () =>
        (await Promise.all(ids.map(id => readFile(store, ada.conversationId, id)))).filter(({ length }) => length > 0)
          .length
      const request = newRequest()
      const erase = () => store.deleteContact(ada.scope, at(9), request)
      expect(await store.deleteContact({ ...ada.scope, ...sibling }, at(9))).toBe('not_found')
      // No upload can begin any more once the first files are gone.
      expect(await erase()).toMatchObject({ ended: [{ hash: ada.hash }], isIncomplete: true })
      expect(await store.beginUpload({ sessionHash: ada.hash }, newUpload({ createdAt: at(9) }))).toBe('ended')
      expect(await left()).toBe(8)
      expect([await erase(), await left()]).toEqual([{ ended: [], isIncomplete: true }, 3])
      expect([await erase(), await left()]).toEqual([{ ended: [], isIncomplete: false }, 0])
      expect(await erase()).toBe('replayed')
      expect(await store.findFile({ sessionHash: grace.hash }, kept, at(9))).not.toBeNull()
    })

    it('are erased when the organization removes their message', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      const id = await uploadFile(store, { sessionHash: hash })
      const message = { ...newMessage('My passport'), files: [{ id, name: 'a.png' }] }
      await store.appendVisitorMessage(hash, message)
      await store.removeMessage(ours, { conversationId }, message.id, at(9))
      expect(await readFile(store, conversationId, id)).toHaveLength(0)
      const [left] = await store.listMessages(conversationId, { limit: 1 })
      expect(left).not.toHaveProperty('attachments')
      expect(await store.appendVisitorMessage(hash, message)).toMatchObject({ repeated: true })
    })

    it('are erased after an hour without a message, and with their message, conversation and contact', async () => {
      const { store, ours } = await start()
      const long = { expiresAt: at(1e7) }
      const { conversationId, scope, contact } = await signIn(store, ours)
      const session = newSession(long)
      await store.createContactSession(scope, { contactId: contact.id }, session)
      const uploader = { sessionHash: session.hash }
      const [kept, unused] = [await uploadFile(store, uploader), await uploadFile(store, uploader)]
      const interrupted = newUpload()
      await store.beginUpload(uploader, interrupted)
      await store.appendUpload(
        { conversationId, id: interrupted.id, attemptId: interrupted.attemptId },
        0,
        Buffer.from('x'),
      )
      await store.appendVisitorMessage(session.hash, { ...newMessage('See'), files: [{ id: kept, name: 'a' }] })
      const files = [{ id: unused, name: 'a' }]
      const late = newMessage('Late', { createdAt: at(3 + hour) })
      expect(await store.appendVisitorMessage(session.hash, { ...late, files })).toBe('file_missing')
      await store.purge({ now: at(2 + hour), endedBefore: at(0) })
      expect(await readFile(store, conversationId, unused)).not.toHaveLength(0)
      await store.purge({ now: at(3 + hour), endedBefore: at(0) })
      for (const id of [unused, interrupted.id]) expect(await readFile(store, conversationId, id)).toHaveLength(0)
      expect(await readFile(store, conversationId, kept)).toEqual(fileBytes)
      await store.purge({ now: at(2 * hour), endedBefore: at(0), lastMessageBefore: at(hour) })
      expect(await store.listMessages(conversationId, { limit: 1 })).toEqual([])
      expect(await readFile(store, conversationId, kept)).toHaveLength(0)
      const last = await uploadFile(store, uploader, randomUUID(), at(2 * hour))
      await store.deleteContact(scope, at(2 * hour))
      expect(await readFile(store, conversationId, last)).toHaveLength(0)
    })
  })
}
