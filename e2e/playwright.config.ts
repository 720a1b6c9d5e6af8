import { defineConfig } from '@playwright/test'
import { findChromium } from './chromium.ts'

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
    },
  ],
})
