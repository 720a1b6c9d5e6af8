import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { NewUpload, Store, Uploader } from '../../store/store.ts'
import { attemptOf, fileBytes, newUpload, readFile, storedAs, uploadFile } from './files.ts'
import { at, newAnswer, newMessage, newRequest, newSession, signIn, storeTests } from './storeTenants.ts'

const hour = 60 * 60
const withFile = (id: string, name = 'a.png') => ({ files: [{ id, name }] })

export function describeAttachments(open: () => Promise<Store>): void {
  const it = storeTests(open)
    .extend('mine', ({ ada }): Uploader => ({ sessionHash: ada.hash }))
    .extend('team', ({ ours, ada }): Uploader => ({ scope: ours, conversationId: ada.conversationId }))
    /** Another session of Ada. */
    .extend('later', async ({ store, ada }) => {
      const session = newSession({ expiresAt: at(1e7) })
      await store.createContactSession(ada.scope, { contactId: ada.contact.id }, session)
      return { sessionHash: session.hash }
    })
    .extend('begin', ({ store }) => (uploader: Uploader, overrides: Partial<NewUpload> = {}) => {
      return store.beginUpload(uploader, newUpload(overrides))
    })

  describe('files', () => {
    it('are read by their session only until a message has them', async ({ store, ours, ada, mine, later, team }) => {
      const { conversationId } = ada
      const id = await uploadFile(store, mine)
      const { upload: stored } = storedAs(id)
      expect(await store.findFile(mine, id, at(9))).toEqual({ conversationId, upload: stored })
      expect(await readFile(store, conversationId, id)).toEqual(fileBytes)
      for (const reader of [later, team]) expect(await store.findFile(reader, id, at(9))).toBeNull()
      const message = { ...newMessage('See'), ...withFile(id, 'a.bat') }
      expect(await store.appendVisitorMessage(later.sessionHash, message)).toBe('file_missing')
      const attachments = [{ ...stored, name: 'a.bat.png' }]
      expect(await ada.send('', message)).toMatchObject({ message: { attachments }, repeated: false })
      for (const reader of [mine, later, team])
        expect(await store.findFile(reader, id, at(9))).toEqual({ conversationId, upload: stored, name: 'a.bat.png' })
      expect(await ada.messages()).toMatchObject([{ attachments }])
      expect(await store.listConversations(ours, { limit: 1 })).toMatchObject([{ lastMessage: { attachments } }])
      expect((await store.exportContact(ada.scope))?.messages).toMatchObject([{ attachments }])
      expect(await store.readContactData(ada.scope)).toMatchObject({ messages: 1, attachments: 1 })
      // They belong to this message, which may be sent again with the same files only.
      expect(await ada.send('', message)).toMatchObject({ repeated: true })
      expect(await ada.send('', { ...message, files: [] })).toBe('reused')
      expect(await ada.send('', { ...message, id: randomUUID() })).toBe('file_missing')
    })

    it('of the team are attached to its messages only', async ({ store, foreignScopes, ada, mine, team, begin }) => {
      const { conversationId } = ada
      const id = await uploadFile(store, team)
      for (const scope of foreignScopes) {
        expect(await store.findFile({ scope, conversationId }, id, at(9))).toBeNull()
        expect(await begin({ scope, conversationId })).toBe('ended')
      }
      expect(await ada.send('Mine', withFile(id))).toBe('file_missing')
      const message = newAnswer('Here', withFile(id))
      expect(await ada.answer(message)).toMatchObject({ value: { message: { attachments: message.files } } })
      expect(await ada.answer(message)).toMatchObject({ value: { repeated: true } })
      expect(await store.findFile(mine, id, at(9))).toMatchObject({ name: 'a.png' })
    })

    it('are stored by the last of several attempts alone', async ({ store, ada, grace, mine, team, begin }) => {
      const { conversationId } = ada
      const first = newUpload()
      const { id } = first
      const attempt = attemptOf(conversationId, first)
      expect(await store.beginUpload(mine, first)).toEqual({ conversationId })
      expect(await store.appendUpload(attempt, 0, Buffer.from('half of it'))).toBe(true)
      expect(await store.findFile(mine, id, at(9))).toBeNull()
      await uploadFile(store, mine, id)
      expect(await store.appendUpload(attempt, 1, Buffer.from('more'))).toBe(false)
      expect(await store.completeUpload(mine, attempt, storedAs(id), at(4))).toBe(false)
      await store.cancelUpload(attempt)
      expect(await readFile(store, conversationId, id)).toEqual(fileBytes)
      expect(await begin(mine, { id })).toEqual(storedAs(id))
      expect(await begin({ sessionHash: grace.hash }, { id })).toEqual({ conversationId: grace.conversationId })
      expect(await begin(team, { id })).toBe('taken')
    })

    it('need an open session, also at the end of the upload', async ({ store, ours, ada, mine, begin }) => {
      const begun = newUpload()
      await store.beginUpload(mine, begun)
      await store.endSession(ours.botId, ada.hash, 'revoked', at(4))
      const attempt = attemptOf(ada.conversationId, begun)
      expect(await store.completeUpload(mine, attempt, storedAs(begun.id), at(5))).toBe('ended')
      expect(await begin(mine, { createdAt: at(5) })).toBe('ended')
    })

    it('are limited by conversation, bot and day while they arrive', async ({ ada, grace, mine, later, begin }) => {
      const hers = { sessionHash: grace.hash }
      const kibibytes = (count: number) => ({ reservedBytes: 1024 * count })
      expect(await begin(mine, kibibytes(1000))).toEqual({ conversationId: ada.conversationId })
      expect(await begin(mine, kibibytes(1))).toBe('full')
      expect(await begin(hers, kibibytes(501))).toBe('full')
      expect(await begin(hers, kibibytes(500))).toEqual({ conversationId: grace.conversationId })
      const tomorrow = { ...kibibytes(1000), createdAt: at(24 * hour) }
      expect(await begin(later, tomorrow)).toEqual({ conversationId: ada.conversationId })
    })

    it('count for the limits with at least 16 KiB each', async ({ grace, mine, begin }) => {
      const small = { reservedBytes: 1, limits: { ofConversation: 40 * 1024, ofBot: 60 * 1024 } }
      const results = []
      for (const uploader of [mine, mine, mine, { sessionHash: grace.hash }, { sessionHash: grace.hash }])
        results.push((await begin(uploader, small)) === 'full')
      expect(results).toEqual([false, false, true, false, true])
    })

    it('that begin at the same moment stay within the limit of the bot', async ({ store, ours, begin }) => {
      const people = await Promise.all(Array.from({ length: 12 }, () => signIn(store, ours)))
      const limits = { ofConversation: 1024 ** 2, ofBot: 3 * 1024 ** 2 }
      const upload = ({ hash }: { hash: string }) => begin({ sessionHash: hash }, { reservedBytes: 1024 ** 2, limits })
      const begun = await Promise.all(people.map(upload))
      expect(begun.filter(result => result === 'full')).toHaveLength(9)
    })

    it('that exceed a limit leave the former upload with their id', async ({ store, ada, mine, later, begin }) => {
      const { conversationId } = ada
      const id = await uploadFile(store, mine)
      expect(await begin(later, { id, reservedBytes: 1001 * 1024 })).toBe('full')
      expect(await readFile(store, conversationId, id)).toEqual(fileBytes)
      expect(await begin(later, { id, reservedBytes: 1000 * 1024 })).toEqual({ conversationId })
      expect(await readFile(store, conversationId, id)).toHaveLength(0)
    })

    it('are deleted by their uploader until a message has them', async ({ store, sibling, ada, mine, later, team }) => {
      const { conversationId } = ada
      const [unsent, sent] = [await uploadFile(store, mine), await uploadFile(store, mine)]
      const ofTeam = await uploadFile(store, team)
      await ada.send('See', withFile(sent))
      for (const uploader of [later, team, { scope: sibling, conversationId }])
        expect(await store.deleteUpload(uploader, unsent, at(4))).toBe(false)
      for (const id of [sent, ofTeam]) expect(await store.deleteUpload(mine, id, at(4))).toBe(false)
      for (const id of [unsent, sent]) expect(await readFile(store, conversationId, id)).toEqual(fileBytes)

      const all = newUpload({ reservedBytes: 900 * 1024 })
      const rest = { reservedBytes: 100 * 1024 }
      expect(await store.beginUpload(mine, all)).toEqual({ conversationId })
      expect(await store.beginUpload(mine, newUpload(rest))).toBe('full')
      const attempt = attemptOf(conversationId, all)
      await store.appendUpload(attempt, 0, fileBytes)
      expect(await store.deleteUpload(mine, all.id, at(4))).toBe(true)
      expect(await store.deleteUpload(mine, all.id, at(4))).toBe(false)
      expect(await store.appendUpload(attempt, 1, fileBytes)).toBe(false)
      expect(await readFile(store, conversationId, all.id)).toHaveLength(0)
      expect(await store.beginUpload(mine, newUpload(rest))).toEqual({ conversationId })
      expect(await store.deleteUpload(mine, unsent, at(4))).toBe(true)
      expect(await store.findFile(mine, unsent, at(9))).toBeNull()
      expect(await store.deleteUpload(team, ofTeam, at(4))).toBe(true)
      await store.endSession(ada.scope.botId, ada.hash, 'revoked', at(4))
      expect(await store.deleteUpload(mine, sent, at(5))).toBe(false)
    })

    it('of a former session are replaced, and never read', async ({ store, ada, mine, later, team, begin }) => {
      const [sent, waiting] = [await uploadFile(store, mine), await uploadFile(store, mine)]
      await ada.send('See', withFile(sent))
      expect(await begin(later, { id: sent })).toEqual(storedAs(sent))
      expect(await store.findFile(later, waiting, at(9))).toBeNull()
      await uploadFile(store, later, waiting)
      expect(await store.findFile(mine, waiting, at(9))).toBeNull()
      const message = { ...newMessage('See'), ...withFile(waiting) }
      expect(await store.appendVisitorMessage(later.sessionHash, message)).toMatchObject({ repeated: false })
      for (const id of [sent, waiting]) expect(await begin(team, { id })).toBe('taken')
      expect(await begin(mine, { id: await uploadFile(store, team) })).toBe('taken')
    })

    it('of a contact are erased a few at a time', async ({ store, sibling, ada, grace, mine, begin }) => {
      const ids: string[] = []
      for (let count = 0; count < 13; count++) ids.push(await uploadFile(store, mine))
      const hers = { sessionHash: grace.hash }
      const kept = await uploadFile(store, hers)
      const left = async () => {
        const contents = await Promise.all(ids.map(id => readFile(store, ada.conversationId, id)))
        return contents.filter(({ length }) => length > 0).length
      }
      const request = newRequest()
      const { conversationId } = ada
      const erase = () => store.deleteContact(ada.scope, at(9), request)
      expect(await store.deleteContact({ ...ada.scope, ...sibling }, at(9))).toBe('not_found')
      // No upload can begin any more once the first files are gone.
      const first = { ended: [{ hash: ada.hash }], isIncomplete: true }
      expect(await erase()).toMatchObject({ value: first, replayed: false })
      expect(await begin(mine, { createdAt: at(9) })).toBe('ended')
      expect(await left()).toBe(8)
      expect([await erase(), await left()]).toEqual([
        { value: { ended: [], conversationId, isIncomplete: true }, replayed: false },
        3,
      ])
      expect([await erase(), await left()]).toEqual([
        { value: { ended: [], conversationId, isIncomplete: false }, replayed: false },
        0,
      ])
      expect(await erase()).toMatchObject({ replayed: true })
      expect(await store.findFile(hers, kept, at(9))).not.toBeNull()
    })

    it('are erased when the organization removes their message', async ({ store, ours, ada, mine }) => {
      const { conversationId } = ada
      const [id, other] = [await uploadFile(store, mine), await uploadFile(store, mine)]
      const message = { ...newMessage('My passport'), ...withFile(id) }
      await ada.send('', message)
      await ada.send('', { ...newMessage('My ticket'), ...withFile(other) })
      await store.deleteMessage(ours, { conversationId }, message.id, at(9))
      expect(await readFile(store, conversationId, id)).toHaveLength(0)
      expect(await readFile(store, conversationId, other)).not.toHaveLength(0)
      expect((await ada.messages())[0]).not.toHaveProperty('attachments')
      expect(await ada.send('', message)).toMatchObject({ repeated: true })
    })

    it('are erased an hour later, or with their message or contact', async ({ store, ada, later }) => {
      const { conversationId } = ada
      const size = async (id: string) => (await readFile(store, conversationId, id)).length
      const send = (message: ReturnType<typeof newMessage>, id: string) =>
        store.appendVisitorMessage(later.sessionHash, { ...message, ...withFile(id) })
      const [kept, unused] = [await uploadFile(store, later), await uploadFile(store, later)]
      const interrupted = newUpload()
      await store.beginUpload(later, interrupted)
      await store.appendUpload(attemptOf(conversationId, interrupted), 0, Buffer.from('x'))
      await send(newMessage('See'), kept)
      expect(await send(newMessage('Late', { createdAt: at(3 + hour) }), unused)).toBe('file_missing')
      await store.purge({ now: at(2 + hour), endedBefore: at(0) })
      expect([await size(kept), await size(unused), await size(interrupted.id)]).toEqual([
        fileBytes.length,
        fileBytes.length,
        1,
      ])
      await store.purge({ now: at(3 + hour), endedBefore: at(0) })
      expect([await size(kept), await size(unused), await size(interrupted.id)]).toEqual([fileBytes.length, 0, 0])
      await store.purge({ now: at(2 * hour), endedBefore: at(0), lastMessageBefore: at(hour) })
      expect([await ada.messages(), await size(kept)]).toEqual([[], 0])
      const last = await uploadFile(store, later, randomUUID(), at(2 * hour))
      await store.deleteContact(ada.scope, at(2 * hour))
      expect(await size(last)).toBe(0)
    })
  })
}
