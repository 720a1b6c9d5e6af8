import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../src/testPort.ts'
import { expect, Shop, test } from './fixtures.ts'
import { startPlatform, startSite } from './processes.ts'

test.describe('an unreliable network', () => {
  test('keeps a message written offline and sends it once when the connection is back', async ({ shop, context }) => {
    await shop.visit()
    await shop.signIn('Grace')
    await shop.chat.open()
    await context.setOffline(true)
    await expect(shop.chat.panel).toContainText('You’re offline')
    const text = `Written offline ${crypto.randomUUID()}`
    await shop.chat.send(text)
    await expect(shop.chat.panel).toContainText('Waiting to send')
    await context.setOffline(false)
    await expect(shop.chat.panel).toContainText('Sent')
    await expect(shop.chat.transcript.getByText(text)).toHaveCount(1)
    await shop.page.reload()
    await shop.chat.open()
    await expect(shop.chat.transcript.getByText(text)).toHaveCount(1)
  })

  test('sends a message written offline even after the page was closed', async ({ shop, context }) => {
    await shop.visit()
    await shop.signIn('Ada')
    await shop.chat.open()
    await context.setOffline(true)
    const text = `Closed too early ${crypto.randomUUID()}`
    await shop.chat.send(text)
    await expect(shop.chat.panel).toContainText('Waiting to send')
    const reopened = new Shop(await context.newPage(), shop.address)
    await shop.page.close()
    await context.setOffline(false)
    await reopened.visit()
    await reopened.chat.open()
    await expect(reopened.chat.transcript.getByText(text)).toHaveCount(1)
    await expect(reopened.chat.panel).toContainText('Sent')
  })

  test('makes a single tab that has been offline fetch nothing that only several tabs need', async ({
    shop,
    context,
  }) => {
    const tabsRequests: string[] = []
    context.on('request', request => {
      if (request.url().includes('/tabs-')) tabsRequests.push(request.url())
    })
    await shop.visit()
    await shop.signIn('Ada')
    await shop.chat.open()
    for (const time of ['first', 'second']) {
      await context.setOffline(true)
      await expect(shop.chat.panel).toContainText('You’re offline')
      await context.setOffline(false)
      await shop.chat.say(`Back for the ${time} time ${crypto.randomUUID()}`)
    }
    expect(tabsRequests).toEqual([])
    await new Shop(await context.newPage(), shop.address).visit()
    await expect.poll(() => tabsRequests.length).toBeGreaterThan(0)
  })

  for (const chunk of ['core', 'panel']) {
    test(`the launcher reports that the ${chunk} chunk could not be loaded, and retries on the next click`, async ({
      shop,
    }) => {
      const alert = shop.page.locator('.layer > [role=alert]')
      await shop.visit()
      await shop.page.route(`**/${chunk}-*.js*`, route => route.abort())
      await shop.chat.launcher.click()
      await expect(shop.chat.launcher).toHaveAccessibleName('Couldn’t load the chat. Retry')
      await expect(alert).toHaveText('Couldn’t load the chat. Retry')
      await shop.page.unrouteAll()
      await shop.chat.open()
      await expect(shop.chat.launcher).toHaveAccessibleName('Chat')
      await expect(alert).toBeEmpty()
      await shop.chat.ask('How do I return something?', /30 days/)
    })
  }

  test('survives a killed and restarted platform: each message is stored once, each question answered', async ({
    page,
  }) => {
    test.slow()
    const folder = mkdtempSync(join(tmpdir(), 'natter-kill-'))
    const database = join(folder, 'natter.db')
    const port = await freePort()
    let platform = await startPlatform({ database, port })
    const site = await startSite(platform)
    const shop = new Shop(page, site.url)
    try {
      await shop.visit()
      await shop.chat.open()
      await shop.chat.ask('How do I return something?', /30 days/)
      await shop.chat.send('Which payment methods do you take?')
      await platform.stop('SIGKILL')
      await expect(shop.chat.panel).toContainText('Reconnecting…')
      await shop.chat.send('Which sizes do you have?')
      platform = await startPlatform({ database, port })
      // The reply that the killed platform had started stays until the new one takes over after its lease has expired.
      const afterLease = { timeout: 20_000 }
      await expect(shop.chat.transcript).toContainText(/card/i, afterLease)
      await expect(shop.chat.transcript).toHaveAttribute('aria-busy', 'false', afterLease)
      await expect(shop.chat.transcript.getByText('Which payment methods do you take?')).toHaveCount(1)
      await expect(shop.chat.transcript.getByText('Which sizes do you have?')).toHaveCount(1)
      await expect(shop.chat.panel).toContainText('Sent')
      await shop.page.reload()
      await shop.chat.open()
      await expect(shop.chat.transcript.getByText('Which sizes do you have?')).toHaveCount(1)
      await expect(shop.chat.transcript.getByText(/Visa, Mastercard/)).toHaveCount(1)
    } finally {
      await site.stop()
      await platform.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
