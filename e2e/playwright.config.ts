import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { chromiumArgs, findChromium, findHeadlessShell } from './chromium.ts'

// The tests start many Node processes, which inherit this. Compiled once, the program starts in half of the time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/node')

/** `npm run test:all` also runs what waits in real time or takes long. */
const notInGate = process.env['NATTER_TEST_LONG'] === '1' ? [] : ['*.long.spec.ts']

/** Path of a Firefox, if one is installed. */
const firefox = process.env['NATTER_FIREFOX']

if (!process.env['TEST_WORKER_INDEX']) {
  if (!firefox) console.info('Firefox: not run (set NATTER_FIREFOX to its path)')
  if (!process.env['NATTER_WEBKIT']) console.info('WebKitGTK: not run (set NATTER_WEBKIT to the path of its driver)')
}

/** The headless shell has no back/forward cache, and places letters at other fractions of a pixel. */
const inWholeBrowser = ['backForward.spec.ts', 'undo.spec.ts', 'references.long.spec.ts', 'stills.long.spec.ts']

const inChromium = (executablePath: string | undefined) => ({
  browserName: 'chromium' as const,
  launchOptions: {
    ...(executablePath && { executablePath }),
    // Containers that run as root have no user namespace to build the sandbox with.
    chromiumSandbox: process.getuid?.() !== 0,
    // By default, a snapshot of the memory contains only 1024 characters of each string.
    args: [...chromiumArgs, '--js-flags=--heap-snapshot-string-limit=1000000'],
  },
})

export default defineConfig({
  testDir: '.',
  // The tests in faults/ run with Vitest.
  testMatch: '*.spec.ts',
  outputDir: '../out/e2e',
  snapshotPathTemplate: '{testDir}/references/{arg}{ext}',
  workers: 2,
  fullyParallel: true,
  // A hang is what these guard against, not a slow machine.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  reporter: [['list']],
  use: {
    // To see the document before and after each step of a test: --trace on.
    trace: 'off',
    screenshot: 'only-on-failure',
    locale: 'en-GB',
    timezoneId: 'Europe/Oslo',
  },
  projects: [
    {
      name: 'chromium',
      use: inChromium(findHeadlessShell()),
      testIgnore: [...(process.env['NATTER_WEBKIT'] ? [] : ['webkit.spec.ts']), ...inWholeBrowser, ...notInGate],
    },
    { name: 'whole chromium', use: inChromium(findChromium()), testMatch: inWholeBrowser, testIgnore: notInGate },
    // Only the most common things a visitor does.
    ...(firefox
      ? [
          {
            name: 'firefox',
            testMatch: ['anonymous.spec.ts', 'identity.spec.ts', 'csp.spec.ts'],
            use: {
              browserName: 'firefox' as const,
              channel: 'moz-firefox',
              launchOptions: { executablePath: firefox },
            },
          },
        ]
      : []),
  ],
})
