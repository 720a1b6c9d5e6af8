import { botProfile, problem, reply } from '../src/widget/testing/fakePlatform.ts'
import { expect } from './fakeSite.ts'
import type { ScenarioContext } from './scenarioContext.ts'
import { choose, draftFiles, messageFiles, pdfFile, pngFile, type TestFile, textFile, transfer } from './testFiles.ts'

const sky = (x: number, y: number): [number, number, number] => [90 + 120 * y, 130 + 80 * y, 230 - 110 * x * y]
const bytesOf = ({ buffer }: TestFile) => new Uint8Array(buffer)

/** Files in the text field and in messages. */
export async function showFiles(context: ScenarioContext): Promise<void> {
  const { page, fakeSite, chat, strings, onState } = context
  const { platform } = fakeSite
  const profile = () => reply(200, { ...botProfile, attachments: true })
  platform.intercept = (_, path) => (path === '' ? profile() : undefined)
  await chat.open()
  await chat.send('Where is my order?')
  await expect(chat.panel).toContainText(strings.sent)
  await expect.poll(() => platform.streams.size).toBe(1)

  await choose(chat, pngFile('Jacket.png', [600, 400], sky), textFile('Notes about the order, in many words.txt'))
  await expect(draftFiles(chat).locator('canvas')).toHaveCount(1)
  // Both files have arrived before the uploads hang.
  await expect.poll(() => platform.log.filter(({ method }) => method === 'PUT').length).toBe(2)
  platform.intercept = (method, path) =>
    path === '' ? profile() : method === 'PUT' ? new Promise(() => {}) : undefined
  await choose(chat, pdfFile('Invoice 1042.pdf'))
  await expect(draftFiles(chat).getByRole('progressbar')).toHaveCount(1)
  await onState('files-uploading')

  platform.intercept = method => (method === 'PUT' ? problem(415, 'file_refused') : undefined)
  await draftFiles(chat).getByRole('button', { name: 'Invoice' }).click()
  await choose(chat, textFile('Drawing.svg'), ...[3, 4, 5].map(number => textFile(`${number}.txt`)))
  await expect(draftFiles(chat)).toContainText(strings.fileRefused)
  await onState('files-refused')
  while ((await draftFiles(chat).getByRole('listitem').count()) > 2)
    await draftFiles(chat).getByRole('listitem').last().getByRole('button').last().click()
  platform.intercept = () => undefined
  await page.evaluate(() => document.fonts.ready)
  await transfer(chat, 'drag', [pngFile('Dragged.png')])
  await expect(chat.panel).toContainText(strings.dropFiles)
  await onState('files-dragged')
  await transfer(chat, 'leave', [pngFile('Dragged.png')])

  await chat.send('Is this the right one?')
  await expect(messageFiles(chat).locator('canvas')).toHaveCount(1)
  await expect(chat.panel).toContainText(strings.sent)
  const { messages } = fakeSite.visitor()
  const label = platform.files.add('label', 'Label.png', bytesOf(pngFile('', [400, 600], sky)))
  const terms = platform.files.add('terms', 'Terms.pdf', bytesOf(pdfFile('')))
  platform.say(messages, {
    text: 'Yes. Here is your label.',
    author: 'agent',
    sender: { name: 'Nora' },
    attachments: [label, terms],
  })
  await expect(messageFiles(chat).locator('canvas')).toHaveCount(2)
  await onState('files-in-messages')

  platform.intercept = (_, path) =>
    path === '' ? profile() : path.startsWith('/attachments/') ? problem(404, 'not_found') : undefined
  await messageFiles(chat).getByRole('button', { name: 'Terms.pdf' }).click()
  await expect(chat.transcript).toContainText(strings.downloadFailed)
  await onState('file-not-loaded')

  platform.intercept = method => (method === 'PUT' ? new Promise(() => {}) : undefined)
  await choose(chat, pngFile('Receipt.png'))
  await chat.send('And the receipt')
  await expect(messageFiles(chat).getByRole('progressbar')).toHaveCount(1)
  await onState('files-sending')
}
