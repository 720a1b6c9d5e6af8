import { readFile } from 'node:fs/promises'
import { expect, test } from './attachmentFixtures.ts'
import { Chat } from './fixtures.ts'
import { choose, textFile } from './testFiles.ts'

test('a contact saves the whole conversation, sees what is stored, and erases it in all tabs', async ({
  page,
  chat,
  client,
  openAs,
  filesOf,
  filesHostPage,
}) => {
  const contactId = await openAs('Ada Lovelace')
  await choose(chat, textFile('order.txt'))
  await chat.say('My order')
  // More than a page of the history.
  const count = 40
  for (let n = 1; n <= count; n++) await client.conversations.messages.send({ contactId }, { text: `Answer ${n}.` })
  await (await filesOf(contactId)).send('The last one', textFile('receipt.txt'))
  await page.reload()
  await chat.open()
  await expect(chat.transcript).toContainText('The last one')
  const chooseItem = async (name: string) => {
    await chat.panel.getByRole('button', { name: 'More' }).click()
    await chat.panel.getByRole('menuitem', { name }).click()
  }

  await test.step('saves also what was not loaded, under the strictest policy', async () => {
    const download = page.waitForEvent('download')
    await chooseItem('Save conversation')
    const file = await download
    expect(file.suggestedFilename()).toMatch(/^chat-\d{4}-\d\d-\d\d\.txt$/)
    const text = await readFile(await file.path(), 'utf8')
    expect(text).toMatch(/ · Ada Lovelace\nMy order\n\[order\.txt\]\n\n.* · Team member\nAnswer 1\.\n/)
    expect(text.match(/^Answer \d+\.$/gm)).toHaveLength(count)
    expect(text).toContain('The last one\n[receipt.txt]\n')
    expect(await page.evaluate(() => window.violations)).toEqual([])
    await expect(chat.panel.getByRole('menu')).toHaveCount(0)
  })

  await test.step('asks before it erases', async () => {
    await chooseItem('Your data')
    const dialog = chat.panel.getByRole('alertdialog', { name: 'Your data' })
    await expect(dialog).toContainText(/Ada Lovelace.*@example\.com.*Messages42Files2Since/)
    await dialog.getByRole('button', { name: 'Erase everything' }).click()
    const question = chat.panel.getByRole('alertdialog', { name: 'Erase your data and this conversation?' })
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(chat.panel.getByRole('alertdialog')).toHaveCount(0)
    expect((await client.contacts.retrieve(contactId)).id).toBe(contactId)
  })

  await test.step('erases everything, and says so in every tab', async () => {
    const otherPage = await page.context().newPage()
    await otherPage.goto(filesHostPage.url)
    const other = new Chat(otherPage)
    await other.open()
    await expect(other.transcript).toContainText('The last one')
    await page.bringToFront()
    await chooseItem('Your data')
    for (const name of ['Your data', 'Erase your data and this conversation?'])
      await chat.panel.getByRole('alertdialog', { name }).getByRole('button', { name: 'Erase everything' }).click()
    for (const each of [chat, other]) {
      await expect(each.panel).toContainText('This conversation has been deleted.')
      await expect(each.panel).not.toContainText('The last one')
      await expect(each.panel.getByRole('alertdialog')).toHaveCount(0)
    }
    await expect(client.contacts.retrieve(contactId)).rejects.toMatchObject({ code: 'not_found' })
    for (const each of [page, otherPage]) expect(await each.evaluate(() => window.Natter.auth.state)).toBe('anonymous')
  })
})
