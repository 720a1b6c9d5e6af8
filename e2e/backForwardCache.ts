import { test as base } from './fakeSite.ts'

/** For tests of the back/forward cache. They share workers, because they share this function. */
export const test = base.extend({
  // Playwright disables the cache because it cannot wait for such a navigation itself.
  launchOptions: [
    async ({ launchOptions }, use) => {
      await use({ ...launchOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] })
    },
    { scope: 'worker' },
  ],
})
