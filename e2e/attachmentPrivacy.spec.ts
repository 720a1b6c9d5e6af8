import { expectNothingLeft, searchPage } from 'natter/testing'
import { expect, namesOf, storedFiles, test } from './attachmentFixtures.ts'
import { choose, draftFiles, messageFiles, pdfFile, pngFile, textFile, transfer } from './testFiles.ts'

test('a logout during an upload leaves nothing in storage, page, caches and heap, and nothing is sent', async ({
  page,
  chat,
  messagesOf,
  openAs,
}) => {
  const contactId = await openAs('Ada Lovelace')
  await page.route('**/attachments/*', () => {})
  // Dropped, because Playwright keeps the input to which it has given files, and with it all elements around it.
  await transfer(chat, 'drop', [pngFile('vermilion.png')])
  await chat.send('Dyed in vermilion')
  await transfer(chat, 'drop', [textFile('magenta.txt')])
  await expect(chat.panel.getByRole('progressbar').first()).toBeVisible()
  const texts = ['vermilion', 'magenta']
  const before = await searchPage(page, { texts, memory: false })
  for (const text of texts) expect(before.map(finding => finding.text)).toContain(text)
  expect(await storedFiles(page)).not.toEqual([])
  const cancelled = page.waitForEvent('requestfailed', request => request.method() === 'PUT')
  await page.evaluate(() => window.Natter.auth.contacts.logout())
  await cancelled
  await expect(chat.panel).not.toContainText('Chatting as')
  expect(await storedFiles(page)).toEqual([])
  await expectNothingLeft(page, { texts })
  await page.unroute('**/attachments/*')
  await chat.say('Anonymously')
  expect(await messagesOf(contactId)).toEqual([])
})

test('the next person sees nothing of the former one: neither a picture that is still being loaded nor files chosen in an open dialog', async ({
  page,
  chat,
  login,
  filesOf,
  openAs,
}) => {
  await test.step('a picture that is still being loaded', async () => {
    const contactId = await openAs('Ada Lovelace')
    await chat.say('I am Ada')
    const held = Promise.withResolvers<void>()
    await page.route('**/attachments/*/download', async route => {
      await held.promise
      await route.continue().catch(() => {})
    })
    const requested = page.waitForRequest('**/attachments/*/download')
    await (await filesOf(contactId)).send('Look', pngFile('private.png'))
    await requested
    await login(page, 'Grace Hopper')
    await expect(chat.panel).toContainText('Chatting as Grace Hopper')
    held.resolve()
    await chat.say('I am Grace')
    await expect(chat.panel.locator('canvas')).toHaveCount(0)
    expect(await chat.panel.innerHTML()).not.toContain('private')
  })

  await test.step('files chosen in a dialog that was opened for the former person are not taken', async () => {
    await openAs('Ada Lovelace')
    const dialog = page.waitForEvent('filechooser')
    await chat.panel.getByRole('button', { name: 'Attach files' }).click()
    const chooser = await dialog
    await login(page, 'Grace Hopper')
    await expect(chat.panel).toContainText('Chatting as Grace Hopper')
    await chooser.setFiles(textFile('of-ada.txt')).catch(() => {})
    await choose(chat, textFile('of-grace.txt'))
    await expect(draftFiles(chat).getByRole('listitem')).toHaveCount(1)
    await expect(draftFiles(chat)).toContainText('of-grace.txt')
  })
})

const script = '<script>window.hacked = true</script>'
const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked = true">'
const corpus = [
  { name: 'html.gif', mimeType: 'image/gif', buffer: Buffer.from(`GIF89a/*${script}*/=1;`) },
  { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from(`<!doctype html>${script}`) },
  { name: 'page.txt', mimeType: 'text/plain', buffer: Buffer.from(`Hello ${script}`) },
  { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(`${svg}</svg>`) },
  { name: 'svg.png', mimeType: 'image/png', buffer: Buffer.from(`${svg}</svg>`) },
  pdfFile('script.pdf', `%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n%%EOF${script}`),
  { ...pngFile('html.png'), buffer: Buffer.concat([pngFile('').buffer, Buffer.from(script)]) },
  { name: 'x" onerror="window.hacked=true".png', mimeType: 'image/png', buffer: pngFile('').buffer },
  { name: '<img src=x onerror=window.hacked=true>.txt', mimeType: 'text/plain', buffer: Buffer.from('javascript:') },
]

test('no file of a polyglot corpus executes anything', async ({ page, chat, messagesOf, openAs }) => {
  const contactId = await openAs('Ada Lovelace')
  const dialogs: string[] = []
  page.on('dialog', dialog => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  for (const file of corpus) {
    await choose(chat, file)
    const [item, text] = [draftFiles(chat).getByRole('listitem'), `With ${corpus.indexOf(file)}`]
    await expect(item).toHaveCount(1)
    await expect(
      chat.panel.locator('form').getByRole('status').filter({ hasText: file.name }).or(item.locator('b')),
    ).not.toHaveCount(0)
    await expect(item.getByRole('progressbar')).toHaveCount(0)
    if ((await item.locator('b').count()) > 0) await item.getByRole('button').last().click()
    else await chat.say(text)
  }
  await expect(messageFiles(chat)).not.toHaveCount(0)
  for (const button of await messageFiles(chat).getByRole('button').all()) {
    const download = page.waitForEvent('download')
    await button.click()
    await download
  }
  expect(namesOf(await messagesOf(contactId))).not.toContain('drawing.svg')
  expect(dialogs).toEqual([])
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
  expect(await page.evaluate(() => window.violations)).toEqual([])
  expect(page.context().pages()).toHaveLength(1)
})
