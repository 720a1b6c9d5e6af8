import { mkdir, writeFile } from 'node:fs/promises'
import { bytesOf, exif, jpegSegment } from '../src/platform/testing/files/pictures.ts'
import { expect, namesOf, storedFiles, test } from './attachmentFixtures.ts'
import { Chat } from './fixtures.ts'
import { choose, draftFiles, dropFromDisk, messageFiles, pdfFile, pngFile, textFile, transfer } from './testFiles.ts'

test('a visitor attaches files by button, paste and drop, and sends them under the strictest policy', async ({
  page,
  chat,
  messagesOf,
  filesOf,
  openAs,
}, testInfo) => {
  const contactId = await openAs('Ada Lovelace')
  const picture = pngFile('jacket.png')
  await choose(chat, picture, pdfFile('order.pdf'))
  await transfer(chat, 'paste', [pngFile('pasted.png')])
  await transfer(chat, 'drop', [textFile('notes.txt')])
  await expect(draftFiles(chat).getByRole('listitem')).toHaveCount(4)
  await expect(chat.composer).toBeFocused()
  await chat.send('My order')
  await expect(chat.panel).toContainText('Sent')
  await expect(draftFiles(chat)).toHaveCount(0)
  await expect(messageFiles(chat).getByRole('listitem')).toHaveCount(4)
  await expect(messageFiles(chat).getByRole('img', { name: 'jacket.png' })).toBeVisible()

  const [message] = await messagesOf(contactId)
  expect(namesOf([message ?? {}])).toEqual(['jacket.png', 'order.pdf', 'pasted.png', 'notes.txt'])
  expect((await (await filesOf(contactId)).download('jacket.png')).equals(picture.buffer)).toBe(true)
  expect(await page.evaluate(() => window.violations)).toEqual([])

  await test.step('a very long photo that was taken sideways is drawn upright and no larger than its box', async () => {
    // Its left half is red, which is the upper half of the upright picture.
    const base64 = await page.evaluate(() => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: 12_000, height: 20 })
      const context = canvas.getContext('2d') as CanvasRenderingContext2D
      for (const [at, colour] of ['#f00', '#00f'].entries()) {
        context.fillStyle = colour
        context.fillRect(6000 * at, 0, 6000, 20)
      }
      return canvas.toDataURL('image/jpeg').replace(/.*,/, '')
    })
    const jpeg = Buffer.from(base64, 'base64')
    const turned = bytesOf(jpeg.subarray(0, 2), jpegSegment(0xe1, bytesOf('Exif\0\0', exif(6))), jpeg.subarray(2))
    await (await filesOf(contactId)).send('Look', { name: 'tower.jpg', mimeType: 'image/jpeg', buffer: turned })
    const canvas = messageFiles(chat).getByRole('img', { name: 'tower.jpg' })
    const look = (node: HTMLCanvasElement) => {
      const colourAt = (y: number) => {
        const [red = 0, , blue = 0, alpha] = node.getContext('2d')?.getImageData(0, y, 1, 1).data ?? []
        return alpha === 0 ? 'none' : red > blue ? 'red' : 'blue'
      }
      return [node.width, node.height, colourAt(100), colourAt(400)]
    }
    await expect.poll(() => canvas.evaluate(look)).toEqual([1, 480, 'red', 'blue'])
  })

  await test.step('pasted text that comes with a picture stays text', async () => {
    await transfer(chat, 'paste', [pngFile('cells.png')], 'A1')
    await choose(chat, textFile('only.txt'))
    await expect(draftFiles(chat).getByRole('listitem')).toHaveCount(1)
    await draftFiles(chat).getByRole('button', { name: 'Remove only.txt' }).click()
    await expect(draftFiles(chat)).toHaveCount(0)
  })

  await test.step('a dropped folder is refused with a word about it, and the file beside it is taken', async () => {
    const folder = testInfo.outputPath('Holiday')
    await mkdir(folder, { recursive: true })
    const file = testInfo.outputPath('beside.txt')
    await writeFile(file, 'Beside the folder')
    await dropFromDisk(chat, [folder, file])
    await expect(chat.panel.locator('form').getByRole('alert')).toContainText('Folders can’t be sent')
    await expect(draftFiles(chat).getByRole('listitem')).toHaveText([/beside\.txt/])
  })
})

test('a picture from the team is drawn, and saved as a file that nothing opens; a second tab shows files, too', async ({
  page,
  chat,
  filesOf,
  openAs,
  filesHostPage,
}) => {
  const contactId = await openAs('Ada Lovelace')
  await page.evaluate(() => {
    const { createObjectURL, revokeObjectURL } = URL
    Object.assign(window, { urls: [] })
    const urls = (window as unknown as { urls: string[] }).urls
    URL.createObjectURL = blob => {
      urls.push((blob as Blob).type)
      return createObjectURL(blob)
    }
    URL.revokeObjectURL = url => {
      urls.push('revoked')
      revokeObjectURL(url)
    }
  })
  await chat.say('I need a label')
  const files = await filesOf(contactId)
  await files.send('Your label', pngFile('label.png', [1200, 600]), pdfFile('terms.pdf'))
  const canvas = messageFiles(chat).getByRole('img', { name: 'label.png' })
  // What is drawn is no larger than a dense screen needs.
  await expect
    .poll(() =>
      canvas.evaluate((node: HTMLCanvasElement) => [
        node.width,
        node.height,
        ...(node.getContext('2d')?.getImageData(100, 100, 1, 1).data ?? []),
      ]),
    )
    .toEqual([520, 260, 194, 37, 92, 255])
  for (const [label, name] of [
    [/Save label\.png/, 'label.png'],
    [/Save terms\.pdf/, 'terms.pdf'],
  ] as const) {
    const download = page.waitForEvent('download')
    await chat.transcript.getByRole('button', { name: label }).click()
    expect((await download).suggestedFilename()).toBe(name)
  }
  const seen = () => page.evaluate(() => (window as unknown as { urls: string[] }).urls)
  await expect.poll(async () => (await seen()).filter(each => each === 'revoked').length).toBe(2)
  expect(new Set(await seen())).toEqual(new Set(['application/octet-stream', 'revoked']))
  expect(page.context().pages()).toHaveLength(1)
  expect(await page.evaluate(() => window.violations)).toEqual([])

  await test.step('a second tab shows the message with its files', async () => {
    const second = new Chat(await page.context().newPage())
    await second.page.goto(filesHostPage.url)
    await second.open()
    await choose(chat, pngFile('shared.png'), textFile('shared.txt'))
    await chat.send('For both tabs')
    await expect(second.transcript).toContainText('For both tabs')
    await expect(messageFiles(second).getByRole('img', { name: 'shared.png' })).toBeVisible()
    await expect(messageFiles(second).getByRole('button', { name: /Save shared\.txt/ })).toBeVisible()
  })
})

test('files wait for the network, also over a reload, and are sent once', async ({
  page,
  context,
  chat,
  messagesOf,
  openAs,
}) => {
  const contactId = await openAs('Ada Lovelace')
  await context.route('**/v1/**', route => route.abort())
  await choose(chat, pngFile('late.png'), textFile('late.txt'))
  await chat.send('Written without a network')
  await expect(chat.panel).toContainText(/Waiting to send|Sending/)
  await expect(messageFiles(chat).getByText('late.png')).toBeVisible()
  expect(await storedFiles(page)).not.toEqual([])
  await page.reload()
  await chat.launcher.click()
  await context.unroute('**/v1/**')
  await expect(chat.panel).toContainText('Sent')
  await expect(messageFiles(chat).getByRole('img', { name: 'late.png' })).toBeVisible()
  expect(namesOf(await messagesOf(contactId))).toEqual(['late.png', 'late.txt'])
  await expect.poll(() => storedFiles(page)).toEqual([])
})
