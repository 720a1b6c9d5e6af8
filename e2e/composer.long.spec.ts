import { expect, test } from './fakeSite.ts'

test('a long draft is truncated with a notice, grows to six lines, and leaves room for the transcript and the menu at 400 % zoom', async ({
  page,
  fakeSite,
  chat,
}) => {
  await test.step('truncates a pasted book with a notice, and grows to six lines without a hidden copy of the text', async () => {
    await page.goto(fakeSite.url())
    await chat.open()
    // Not by boundingBox(), which the transform of the panel's opening animation changes.
    const height = () => chat.composer.evaluate((field: HTMLElement) => field.offsetHeight)
    const oneLine = await height()
    await chat.composer.pressSequentially('One')
    expect(await height()).toBe(oneLine)
    await chat.composer.press('Shift+Enter')
    await chat.composer.pressSequentially('two')
    expect(await height()).toBe(oneLine + 24)
    await page.evaluate(() => document.execCommand('insertText', false, 'A very long book. '.repeat(60_000)))
    await expect(chat.panel).toContainText('No more text fits here.')
    expect((await chat.composer.inputValue()).length).toBeLessThanOrEqual(20_000)
    // Six lines plus the padding.
    expect(await height()).toBe(164)
    const copies = await chat.panel.evaluate(panel => panel.innerHTML.match(/A very long book/g)?.length ?? 0)
    expect(copies).toBeLessThanOrEqual(1)
    await expect(chat.panel.getByRole('button', { name: 'Send' })).toBeDisabled()
    await chat.composer.fill('Short')
    await expect(chat.panel).not.toContainText('No more text fits here.')
    expect(await height()).toBe(oneLine)
  })

  await test.step('a long draft and the question of the menu leave room for each other at 400 % zoom', async () => {
    // What 1280 × 1024 and 1280 × 720 are at 400 %.
    await page.setViewportSize({ width: 320, height: 256 })
    await chat.say('Where is it?')
    await chat.composer.fill('Line\n'.repeat(20))
    const { height } = (await chat.transcript.boundingBox()) ?? { height: 0 }
    expect(height).toBeGreaterThan(60)
    await page.setViewportSize({ width: 320, height: 180 })
    await chat.panel.getByRole('button', { name: 'More' }).click()
    await chat.panel.getByRole('menuitem', { name: 'End chat' }).click()
    const question = chat.panel.getByRole('alertdialog')
    await page.keyboard.press('Tab')
    await expect(question.getByRole('button', { name: 'End chat' })).toBeFocused()
    await expect(question.getByRole('button', { name: 'End chat' })).toBeInViewport({ ratio: 1 })
    await expect(chat.panel.getByRole('button', { name: 'Close chat' })).toBeInViewport({ ratio: 1 })
  })
})
