import { crc32, deflateSync } from 'node:zlib'
import type { Locator } from '@playwright/test'
import type { Chat } from './fixtures.ts'

export interface TestFile {
  name: string
  mimeType: string
  buffer: Buffer
}

const chunk = (type: string, data: Buffer): Buffer => {
  const [body, numbers] = [Buffer.concat([Buffer.from(type, 'latin1'), data]), Buffer.alloc(8)]
  numbers.writeUInt32BE(data.length, 0)
  numbers.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)])
}

/** A PNG file. `color` returns red, green and blue of a pixel. */
export function pngFile(
  name: string,
  [width, height]: [number, number] = [320, 200],
  color: (x: number, y: number) => [number, number, number] = () => [194, 37, 92],
): TestFile {
  const rows = Buffer.alloc((1 + 3 * width) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows.set(color(x / width, y / height), y * (1 + 3 * width) + 1 + 3 * x)
  const size = Buffer.alloc(13)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  size.set([8, 2, 0, 0, 0], 8)
  const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const pixels = chunk('IDAT', deflateSync(rows))
  return {
    name,
    mimeType: 'image/png',
    buffer: Buffer.concat([start, chunk('IHDR', size), pixels, chunk('IEND', Buffer.alloc(0))]),
  }
}

export const textFile = (name: string, text = `Content of ${name}`): TestFile => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(text),
})

export const pdfFile = (name: string, content = '%PDF-1.7\n%%EOF\n'): TestFile => ({
  name,
  mimeType: 'application/pdf',
  buffer: Buffer.from(content, 'latin1'),
})

const events = {
  paste: ['paste'],
  drag: ['dragenter', 'dragover'],
  leave: ['dragleave'],
  drop: ['dragenter', 'dragover', 'drop'],
}

/** Pastes, drags or drops files into the text field. */
export async function transfer(chat: Chat, type: keyof typeof events, files: TestFile[], text = ''): Promise<void> {
  const given = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, base64: buffer.toString('base64') }))
  await chat.composer.evaluate(
    (field, { names, given, text }) => {
      const data = new DataTransfer()
      for (const { name, mimeType, base64 } of given) {
        const bytes = Uint8Array.from(atob(base64), char => char.charCodeAt(0))
        data.items.add(new File([bytes], name, { type: mimeType }))
      }
      if (text) data.setData('text/plain', text)
      const how = { bubbles: true, cancelable: true, composed: true }
      for (const each of names) {
        field.dispatchEvent(
          each === 'paste'
            ? new ClipboardEvent(each, { ...how, clipboardData: data })
            : new DragEvent(each, { ...how, dataTransfer: data }),
        )
      }
    },
    { names: events[type], given, text },
  )
}

/** Drops files and folders of the disk, as a person does it. */
export async function dropFromDisk({ page, composer }: Chat, files: string[]): Promise<void> {
  const { x, y } = (await composer.boundingBox()) as { x: number; y: number }
  const session = await page.context().newCDPSession(page)
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', {
      type,
      x: x + 5,
      y: y + 5,
      data: { items: [], files, dragOperationsMask: 1 },
    })
  await session.detach()
}

/** The files in the composer, and those of messages. */
export const draftFiles = (chat: Chat): Locator => chat.panel.locator('form').getByRole('list')
export const messageFiles = (chat: Chat): Locator => chat.transcript.locator('.files')

export const choose = (chat: Chat, ...files: TestFile[]): Promise<void> =>
  chat.panel.locator('input[type=file]').setInputFiles(files)
