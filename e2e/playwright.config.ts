import { defineConfig } from '@playwright/test'
import { findChromium } from './chromium.ts'

/** The path of a Firefox, where there is one. */
const firefox = process.env['NATTER_FIREFOX']

if (!process.env['TEST_WORKER_INDEX']) {
  if (!firefox) console.info('Firefox: not run (NATTER_FIREFOX names one)')
  if (!process.env['NATTER_WEBKIT']) console.info('WebKitGTK: not run (NATTER_WEBKIT names its driver)')
}

export default defineConfig({
  testDir: '.',
  // What stands under faults/ is run by the unit tests' runner.
  testMatch: '*.spec.ts',
  outputDir: '../out/e2e',
  workers: 2,
  fullyParallel: true,
  timeout: 30_000,
  expect: { timeout: 7_000 },
  forbidOnly: true,
  reporter: [['list']],
  use: { trace: 'retain-on-failure', locale: 'en-GB', timezoneId: 'Europe/Oslo' },
  projects: [
    {
      name: 'chromium',
      use: {
        browserName: 'chromium',
        launchOptions: {
          executablePath: findChromium(),
          // Containers that run as root have no user namespace to build the sandbox with.
          chromiumSandbox: process.getuid?.() !== 0,
          args: ['--disable-gpu', '--disable-quic'],
        },
      },
      testIgnore: process.env['NATTER_WEBKIT'] ? [] : ['webkit.spec.ts'],
    },
    // What a visitor does most.
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
