import * as expect from './expect.ts'
import { dataOf, type Fields, listOf, type Reply } from './reply.ts'
import { ours, type Rule } from './rule.ts'
import type { TestTarget } from './testTarget.ts'

const letter = 'Conformance\n'
const nonce = 'natter-conformance_1'
// Only the content counts.
const wrongType = { 'content-type': 'image/png' }

/** A contact with a conversation. An agent begins it: a visitor's message would ask the bot's responder, which may cost. */
async function begin(target: TestTarget) {
  const { id: contactId } = await target.newContact()
  const authorization = `Bearer ${await target.newToken(contactId)}`
  const json = { id: crypto.randomUUID(), text: 'Conformance' }
  expect.status(await target.request('POST', `/contacts/${contactId}/messages`, { json }), 201)
  const listed = listOf(await target.request('GET', '/conversations?limit=100'))
  const found = listed.find(({ contact }) => (contact as Fields | null)?.['id'] === contactId)
  expect.that(found !== undefined, 'the conversation of the contact', 'a list without it')
  return { authorization, conversation: `/conversations/${found?.['id']}` }
}

const takesFiles = async (target: TestTarget): Promise<boolean> => {
  const { attachments } = dataOf(await target.request('GET', '/widget', { authorization: '' }))
  expect.that(typeof attachments === 'boolean', 'attachments: true or false', String(attachments))
  return attachments === true
}

const put = (target: TestTarget, path: string, body: string, authorization?: string): Promise<Reply> =>
  target.request('PUT', path, { body, headers: wrongType, ...(authorization !== undefined && { authorization }) })

/** Files of visitors and agents. */
export const fileRules: Rule[] = [
  ours('files', 'a bot that takes no files refuses them; another one decides by their content', async target => {
    const { authorization } = await begin(target)
    const id = crypto.randomUUID()
    const upload = (body: string, path = `/widget/attachments/${id}`) => put(target, path, body, authorization)
    const stored = await upload(letter)
    if (!(await takesFiles(target))) {
      expect.problem(stored, 403, 'attachments_off')
      return
    }
    expect.status(stored, 201)
    expect.equal('the file', dataOf(stored), { id, type: 'text/plain', size: letter.length })
    expect.status(await upload(letter), 200)
    expect.problem(await upload('Other'), 409, 'id_reused')
    for (const body of ['<html>', '<?xml version="1.0"?>', 'a\u0000b', '\u0089PNG\r\n', ''])
      expect.problem(await upload(body, `/widget/attachments/${crypto.randomUUID()}`), 415, 'file_refused')
    expect.problem(await put(target, `/widget/attachments/${id}`, letter, ''), 401, 'unauthorized')
  }),
  ours('files', 'a message may consist of files, which the conversation can download and nobody else', async target => {
    if (!(await takesFiles(target))) return
    const { authorization, conversation } = await begin(target)
    const [id, messageId] = [crypto.randomUUID(), crypto.randomUUID()]
    expect.status(await put(target, `${conversation}/attachments/${id}`, letter), 201)
    const read = (as: string) => target.request('GET', `/widget/attachments/${id}`, { authorization: as })
    expect.problem(await read(authorization), 404, 'not_found')
    const json = { id: messageId, attachments: [{ id, name: 'Blåbær.html' }] }
    for (const status of [201, 200])
      expect.status(await target.request('POST', `${conversation}/messages`, { json }), status)
    const messages = listOf(await target.request('GET', '/widget/messages', { authorization }))
    const { text, attachments } = messages.at(-1) ?? {}
    const file = { id, type: 'text/plain', size: letter.length, name: 'Blåbær.html.txt' }
    expect.equal('text and files of the message', [text, attachments], ['', [file]])

    const received = await read(authorization)
    expect.status(received, 200)
    expect.equal('the bytes', received.text, letter)
    expect.header(received, 'content-disposition', /^attachment; *filename\*=UTF-8''Bl%C3%A5b%C3%A6r\.html\.txt$/)
    expect.header(received, 'content-security-policy', /\bsandbox\b/)
    expect.header(received, 'x-content-type-options', /^nosniff$/)
    expect.header(received, 'cache-control', /\bno-store\b/)
    expect.header(received, 'vary', /(^|,) *\*/)

    const readByPost = (as: string) =>
      target.request('POST', `/widget/attachments/${id}/download`, { authorization: as, json: { nonce } })
    const byPost = await readByPost(authorization)
    expect.status(byPost, 200)
    expect.equal('the bytes', byPost.text, letter)
    expect.header(byPost, 'natter-nonce', new RegExp(`^${nonce}$`))

    const { authorization: other, conversation: otherConversation } = await begin(target)
    for (const answer of [await read(other), await readByPost(other)]) expect.problem(answer, 404, 'not_found')
    expect.problem(await target.request('GET', `${otherConversation}/attachments/${id}`), 404, 'not_found')
    expect.status(await target.request('DELETE', `${conversation}/messages/${messageId}`), 204)
    expect.problem(await read(authorization), 404, 'not_found')
  }),
  ours('files', 'a file that was not sent can be deleted by its sender; one that was sent cannot', async target => {
    if (!(await takesFiles(target))) return
    const { authorization, conversation } = await begin(target)
    const { authorization: other } = await begin(target)
    const remove = (path: string, as?: string) =>
      target.request('DELETE', path, as === undefined ? {} : { authorization: as })
    const own = `/widget/attachments/${crypto.randomUUID()}`
    expect.status(await put(target, own, letter, authorization), 201)
    expect.problem(await remove(own, other), 404, 'not_found')
    expect.status(await remove(own, authorization), 204)
    for (const method of ['DELETE', 'GET'])
      expect.problem(await target.request(method, own, { authorization }), 404, 'not_found')

    const [unsent, sent] = [crypto.randomUUID(), crypto.randomUUID()]
    const pathOf = (id: string) => `${conversation}/attachments/${id}`
    for (const id of [unsent, sent]) expect.status(await put(target, pathOf(id), letter), 201)
    expect.problem(await remove(`/widget/attachments/${unsent}`, authorization), 404, 'not_found')
    expect.status(await remove(pathOf(unsent)), 204)
    const json = { id: crypto.randomUUID(), attachments: [{ id: sent, name: 'a.txt' }] }
    expect.status(await target.request('POST', `${conversation}/messages`, { json }), 201)
    expect.problem(await remove(pathOf(sent)), 404, 'not_found')
  }),
]
