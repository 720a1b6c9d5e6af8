import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, namesOf, test } from './attachmentFixtures.ts'
import { choose, draftFiles, dropFromDisk, messageFiles, pngFile, textFile } from './testFiles.ts'

test('where createImageBitmap is missing or fails, a picture is a file with its name that can be saved', async ({
  page,
  chat,
  openAs,
}) => {
  for (const how of ['is missing', 'fails']) {
    await test.step(how, async () => {
      await page.addInitScript(how => {
        const failing = () => Promise.reject(new DOMException('', 'InvalidStateError'))
        Object.assign(window, { createImageBitmap: how === 'fails' ? failing : undefined })
      }, how)
      await openAs('Ada Lovelace')
      await choose(chat, pngFile('jacket.png'))
      await expect(chat.panel.getByText('jacket.png is ready to send')).toBeAttached()
      await expect(draftFiles(chat).locator('.file-icon')).toHaveCount(1)
      await expect(draftFiles(chat).locator('canvas')).toHaveCount(0)
      await chat.say('My jacket')
      await expect(messageFiles(chat).locator('canvas')).toHaveCount(0)
      const download = page.waitForEvent('download')
      await messageFiles(chat).getByRole('button', { name: 'Save jacket.png' }).click()
      expect((await download).suggestedFilename()).toBe('jacket.png')
    })
  }
})

test('a visitor cancels, retries and removes uploads that fail, and sends the rest', async ({
  page,
  chat,
  messagesOf,
  openAs,
}, testInfo) => {
  const contactId = await openAs('Ada Lovelace')
  await test.step('a visitor cancels an upload, and sends the rest', async () => {
    const held: (() => void)[] = []
    await page.route('**/attachments/*', route =>
      route.request().method() === 'PUT' && held.length === 0
        ? void held.push(() => void route.abort())
        : route.continue(),
    )
    await choose(chat, textFile('wrong.txt'), textFile('right.txt'))
    await expect.poll(() => held.length).toBe(1)
    const cancelled = page.waitForEvent('requestfailed', request => request.method() === 'PUT')
    await draftFiles(chat).getByRole('button', { name: 'Remove wrong.txt' }).press('Enter')
    await cancelled
    await expect(chat.composer).toBeFocused()
    await choose(chat, textFile('undone.txt'))
    await expect(chat.panel.getByText('undone.txt is ready to send')).toBeAttached()
    const deleted = page.waitForResponse(
      response => response.request().method() === 'DELETE' && response.status() === 204,
    )
    await draftFiles(chat).getByRole('button', { name: 'Remove undone.txt' }).press('Enter')
    await deleted
    await chat.send('Only one')
    await expect(chat.panel).toContainText('Sent')
    await page.unroute('**/attachments/*')
    expect(namesOf(await messagesOf(contactId))).toEqual(['right.txt'])
  })

  await test.step('a message with files that was refused is sent on a retry', async () => {
    await page.route('**/widget/messages', route =>
      route.fulfill({ status: 400, json: {}, headers: { 'access-control-allow-origin': '*' } }),
    )
    await choose(chat, textFile('again.txt'))
    await chat.send('Please take this')
    await expect(chat.panel).toContainText('Not sent.')
    await page.unroute('**/widget/messages')
    await chat.panel.getByRole('button', { name: 'Retry' }).click()
    await expect(chat.panel).not.toContainText('Not sent.')
    await expect(chat.panel).toContainText('Sent')
    await expect.poll(async () => namesOf(await messagesOf(contactId))).toEqual(['right.txt', 'again.txt'])
  })

  await test.step('files that the platform refuses say why, to screen readers, too, and keep the message from being sent', async () => {
    await choose(chat, { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg></svg>') })
    await expect(draftFiles(chat)).toContainText('Only PNG, JPEG, WebP and GIF pictures')
    await expect(chat.panel.locator('form').getByRole('alert')).toContainText('drawing.svg: Only PNG')
    await chat.send('See the drawing')
    await expect(chat.panel.getByRole('button', { name: 'Send' })).toBeDisabled()
    await choose(chat, ...[1, 2, 3, 4, 5].map(number => textFile(`${number}.txt`)))
    await expect(chat.panel.locator('form').getByRole('alert')).toContainText('at most 5 files')
    await draftFiles(chat).getByRole('button', { name: 'Remove drawing.svg' }).click()
    await expect(
      chat.panel
        .locator('form')
        .getByRole('status')
        .filter({ hasText: /4\.txt/ }),
    ).toHaveCount(1)
    await chat.composer.press('Enter')
    await expect(draftFiles(chat)).toHaveCount(0)
    await expect(chat.panel).toContainText('Sent')
    await expect
      .poll(async () => namesOf(await messagesOf(contactId)))
      .toEqual(['right.txt', 'again.txt', '1.txt', '2.txt', '3.txt', '4.txt'])
  })

  await test.step('a file that is deleted on the disk before its upload fails at once, and the next message is sent', async () => {
    const file = testInfo.outputPath('gone.txt')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, 'Soon gone')
    const held = Promise.withResolvers<void>()
    await page.route('**/attachments/*', async route => {
      await held.promise
      await route.continue()
    })
    await choose(chat, textFile('slow.txt'))
    await dropFromDisk(chat, [file])
    await expect(draftFiles(chat).getByRole('listitem')).toHaveCount(2)
    await chat.send('With files')
    await rm(file)
    held.resolve()
    await expect(chat.panel).toContainText('Not sent.')
    await expect(messageFiles(chat).last()).toContainText('Couldn’t upload this file.')
    await chat.send('Without files')
    await expect
      .poll(async () => (await messagesOf(contactId)).map(({ text }) => text).slice(3))
      .toEqual(['Without files'])
  })
})
