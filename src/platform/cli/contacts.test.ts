import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../domain/ids.ts'
import { timestamp } from '../domain/time.ts'
import { hashToken } from '../domain/tokens.ts'
import { eraseFilesBatchSize } from '../store/queries/purge.ts'
import { fileBytes, uploadFile } from '../testing/store/files.ts'
import { createTestCli, type TestCli } from '../testing/testCli.ts'

let cli: TestCli
let scope: { organizationId: string; botId: string }
beforeEach(async () => {
  cli = await createTestCli()
  scope = { organizationId: cli.organization, botId: (await cli.createBot()).id }
})

const contact = (...args: string[]) => cli.natter('contact', ...args, '--bot', scope.botId)

const messageOf = (text: string) =>
  ({ id: randomUUID(), author: 'visitor', text, format: 'plain', createdAt: timestamp(cli.clock.now()) }) as const

/** A signed-in contact who has sent a message. */
async function createPerson(email: string) {
  const now = cli.clock.now()
  const at = timestamp(now)
  const id = createId(now)
  const fields = { name: 'Ada', email, emailKey: email, phone: '', mid: '', wid: '', createdAt: at, updatedAt: at }
  const hash = hashToken(randomUUID())
  const expiresAt = timestamp(now + 1e9)
  await cli.inspectStore(async store => {
    await store.createContact(scope, { id, ...fields })
    const session = { hash, conversationId: createId(now), createdAt: at, expiresAt }
    await store.createContactSession(scope, { contactId: id }, session)
    await store.appendVisitorMessage(hash, messageOf(`${email} says`))
  })
  const ended = async () => (await cli.inspectStore(store => store.findSession(hash)))?.ended?.reason
  return { id, hash, ended }
}

describe('natter contact', () => {
  it('exports all stored data of a contact, by id or by email', async () => {
    const ada = await createPerson('ada@shop.example')
    // The email of one is a part of the email of the other.
    const a = await createPerson('a@shop.example')
    for (const [person, email, given] of [
      [ada, 'ada@shop.example', 'ada@shop.example'],
      [a, 'a@shop.example', 'a@SHOP.example'],
    ] as const) {
      const lines = await contact('export', person.id)
      expect(await contact('export', '--email', given)).toEqual(lines)
      expect(JSON.parse(lines.join('\n'))).toMatchObject({
        contact: { id: person.id, email },
        messages: [{ text: `${email} says` }],
        sessions: [{ ended: null }],
      })
    }
    expect((await contact('export', ada.id)).join()).not.toContain(ada.hash)
  })

  it('exports the files of the messages with --files, and says so without it', async () => {
    const ada = await createPerson('ada@shop.example')
    const at = timestamp(cli.clock.now())
    const files = await cli.inspectStore(async store => {
      const ids = [
        await uploadFile(store, { sessionHash: ada.hash }, randomUUID(), at),
        await uploadFile(store, { sessionHash: ada.hash }, randomUUID(), at),
      ]
      const attachments = ids.map(id => ({ id, name: '../../a.png'.replaceAll('/', '\u2044') }))
      await store.appendVisitorMessage(ada.hash, { ...messageOf(''), files: attachments })
      return ids
    })
    const folder = join(cli.folder, 'ada', 'files')
    const printed = JSON.parse((await contact('export', ada.id, '--files', folder)).join('\n'))
    const notes = () => cli.stderr.filter(text => text.includes('included'))
    expect(notes()).toEqual([])
    expect(printed.messages[1].attachments).toMatchObject(files.map(id => ({ id, savedAs: `${id}.png` })))
    expect(readdirSync(folder).toSorted()).toEqual(files.map(id => `${id}.png`).toSorted())
    for (const id of files) {
      const file = join(folder, `${id}.png`)
      expect(readFileSync(file).equals(fileBytes)).toBe(true)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }
    const alone = JSON.parse((await contact('export', ada.id)).join('\n'))
    expect(alone.messages[1].attachments).toMatchObject(files.map(id => ({ id })))
    expect(notes()).toEqual(['2 files are not included: add --files FOLDER.\n'])
  })

  it('deletes a contact and the conversation, but only with --yes, and counts its sessions once', async () => {
    const [ada, bob] = [await createPerson('ada@shop.example'), await createPerson('bob@shop.example')]
    const at = timestamp(cli.clock.now())
    // So many files take several transactions.
    await cli.inspectStore(async store => {
      for (let count = 0; count < 2 * eraseFilesBatchSize; count++)
        await uploadFile(store, { sessionHash: ada.hash }, randomUUID(), at)
    })
    await expect(contact('erase', ada.id)).rejects.toThrow(/--yes/)
    expect(await ada.ended()).toBeUndefined()
    expect(await contact('erase', '--email', 'ada@shop.example', '--yes')).toEqual(['erased, 1 session ended'])
    expect(await ada.ended()).toBe('contact_deleted')
    await expect(contact('export', ada.id)).rejects.toThrow(/has no contact/)
    expect(await bob.ended()).toBeUndefined()
  })

  it('signs a contact out everywhere and keeps the other data', async () => {
    const ada = await createPerson('ada@shop.example')
    expect(await contact('sign-out', ada.id)).toEqual(['1 session ended'])
    expect(await ada.ended()).toBe('revoked')
    expect(await contact('sign-out', ada.id)).toEqual(['0 sessions ended'])
    expect(JSON.parse((await contact('export', ada.id)).join('\n')).messages).toHaveLength(1)
  })

  it('ends emails to a contact, and lets it get them again', async () => {
    const ada = await createPerson('ada@shop.example')
    const ended = async () => JSON.parse((await contact('export', ada.id)).join('\n')).emailsEnded
    expect(await contact('unsubscribe', ada.id)).toEqual(['unsubscribed'])
    expect(await ended()).toBe('unsubscribed')
    expect(await contact('resubscribe', '--email', 'ada@shop.example')).toEqual(['resubscribed'])
    expect(await ended()).toBeNull()
  })

  it('does not find contacts of another bot, and reports missing options', async () => {
    const ada = await createPerson('ada@shop.example')
    const { id: other } = await cli.createBot()
    for (const target of [[ada.id], ['--email', 'ada@shop.example']])
      await expect(cli.natter('contact', 'export', ...target, '--bot', other)).rejects.toThrow(/has no contact/)
    await expect(cli.natter('contact', 'export', ada.id, '--bot', 'nobody')).rejects.toThrow(/no bot nobody/)
    for (const target of [[], [ada.id, '--email', 'ada@shop.example']])
      await expect(contact('export', ...target)).rejects.toThrow(/either CONTACT_ID or --email/)
    await expect(contact('export', '--email', 'ada')).rejects.toThrow(/--email must be/)
  })
})
