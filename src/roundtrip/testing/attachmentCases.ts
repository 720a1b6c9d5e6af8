import { expect } from 'vitest'
import type { EndpointName, Message, Upload } from '../../contract/index.ts'
import { dataOf } from '../../platform/testing/testTenants.ts'
import { message } from './streamed.ts'
import type { TestPlatform } from './testPlatform.ts'
import { visitor, write } from './visitorCalls.ts'

const id = () => crypto.randomUUID()
const pdf = new Blob(['%PDF-1.7\n%%EOF'])

/** Writes to a visitor with a file. */
async function attach(platform: TestPlatform) {
  const { conversationId, bearer } = await write(platform)
  const { messages, attachments } = platform.client.conversations
  const { id } = await attachments.upload(conversationId, { content: new Blob(['Dear Ada']) })
  await messages.send(conversationId, { text: 'See the letter.', attachments: [{ id, name: 'letter.txt' }] })
  return { conversationId, bearer, attachmentId: id }
}

/** A case for every endpoint of files. */
export const attachmentCases = {
  async uploadAttachment(platform) {
    const [bearer, file] = [await visitor(platform), new TextEncoder().encode('Dear shop,\n')]
    const upload = (attachmentId: string) => platform.call('uploadAttachment', { bearer, path: { attachmentId }, file })
    const id = crypto.randomUUID()
    const [first, again] = [await upload(id), await upload(id)]
    expect([first.status, again.status]).toEqual([201, 200])
    const stored = await dataOf<Upload>(first)
    expect(stored).toEqual({ id, type: 'text/plain', size: 11 })
    const body = { ...message(), attachments: [{ id, name: 'letter' }] }
    const sent = await dataOf<Message>(platform.call('sendMessage', { bearer, body }))
    expect(sent.attachments).toEqual([{ ...stored, name: 'letter.txt' }])
    const other = crypto.randomUUID()
    await upload(other)
    const alone = { id: crypto.randomUUID(), attachments: [{ id: other, name: 'letter.txt' }] }
    const answer = await platform.call('sendMessage', { bearer, body: alone })
    expect(await dataOf<Message>(answer)).toMatchObject({ text: '', attachments: [{ id: other }] })
    expect((await platform.call('sendMessage', { bearer, body: alone })).status).toBe(200)
  },
  async downloadAttachment(platform) {
    const { bearer, attachmentId, conversationId } = await attach(platform)
    const answer = await platform.call('downloadAttachment', { bearer, path: { attachmentId } })
    expect(await answer.text()).toBe('Dear Ada')
    expect(answer.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''letter.txt")
    const { attachments } = platform.client.conversations
    await expect(attachments.download(conversationId, crypto.randomUUID())).rejects.toMatchObject({ status: 404 })
  },
  async downloadAttachmentWithNonce(platform) {
    const { bearer, attachmentId } = await attach(platform)
    const nonce = 'a-nonce-of-22-letters_'
    const answer = await platform.call('downloadAttachmentWithNonce', {
      bearer,
      path: { attachmentId },
      body: { nonce },
    })
    expect([await answer.text(), answer.headers.get('natter-nonce')]).toEqual(['Dear Ada', nonce])
  },
  async deleteAttachment(platform) {
    const [bearer, file, attachmentId] = [await visitor(platform), new TextEncoder().encode('Dear shop,\n'), id()]
    const path = { attachmentId }
    await platform.call('uploadAttachment', { bearer, path, file })
    const remove = async () => (await platform.call('deleteAttachment', { bearer, path })).status
    expect([await remove(), await remove()]).toEqual([204, 404])
  },
  async deleteConversationAttachment(platform) {
    const { conversationId } = await write(platform)
    const { attachments } = platform.client.conversations
    const { id } = await attachments.upload(conversationId, { content: pdf })
    await attachments.delete(conversationId, id)
    await expect(attachments.delete(conversationId, id)).rejects.toMatchObject({ code: 'not_found' })
  },
  async uploadConversationAttachment(platform) {
    const { conversationId } = await write(platform)
    const content = new Blob(['<html>'])
    const refused = platform.client.conversations.attachments.upload(conversationId, { content })
    await expect(refused).rejects.toMatchObject({ status: 415, code: 'file_refused' })
    const { id } = await platform.client.conversations.attachments.upload(conversationId, { content: pdf })
    const { messages } = platform.client.conversations
    const sent = await messages.send(conversationId, { attachments: [{ id, name: 'invoice' }] })
    expect(sent).toMatchObject({ text: '', attachments: [{ id, name: 'invoice.pdf' }] })
    await expect(messages.send(conversationId, { attachments: [] })).rejects.toMatchObject({
      errors: [{ pointer: '/text' }],
    })
  },
  async downloadConversationAttachment(platform) {
    const { attachmentId, conversationId } = await attach(platform)
    const file = await platform.client.conversations.attachments.download(conversationId, attachmentId)
    expect(await file.text()).toBe('Dear Ada')
  },
} satisfies Partial<Record<EndpointName, (platform: TestPlatform) => Promise<void>>>
