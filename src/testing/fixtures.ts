import type {
  Fixtures,
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
} from '@playwright/test'
import { Chat } from './chat.ts'
import { startTestPlatform, type TestPlatform, type TestPlatformOptions } from './testPlatform.ts'

export interface NatterFixtures {
  /** The chat of the test's page. */
  chat: Chat
}

export interface NatterWorkerFixtures {
  /** Options of the platform, for `test.use` at the top of a file or in Playwright's configuration. */
  natterOptions: TestPlatformOptions
  /** A platform of this worker, which all of its tests share. */
  natter: TestPlatform
}

/**
 * Fixtures for Playwright: a platform, and the chat of the page.
 *
 * @example
 * const test = base.extend(fixtures)
 * test('the chat opens', async ({ page, natter, chat }) => { … })
 */
export const fixtures: Fixtures<
  NatterFixtures,
  NatterWorkerFixtures,
  PlaywrightTestArgs & PlaywrightTestOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = {
  natterOptions: [{}, { option: true, scope: 'worker' }],
  natter: [
    async ({ natterOptions }, use) => {
      const platform = await startTestPlatform(natterOptions)
      await use(platform)
      await platform.close()
    },
    { scope: 'worker' },
  ],
  chat: async ({ page }, use) => {
    await use(new Chat(page))
  },
}
