import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../src/testPort.ts'
import { expect, Shop, test } from './fixtures.ts'
import { startPlatform, startSite } from './processes.ts'

test('a chat survives a killed and restarted platform: each message is stored once, each question answered', async ({
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
