import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'

const systemPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The path of a Chromium: `NATTER_CHROMIUM`, Playwright's own, a system one, or one installed now. */
export function findChromium(): string {
  const named = process.env['NATTER_CHROMIUM']
  if (named) {
    if (!existsSync(named)) throw new Error(`NATTER_CHROMIUM names ${named}, which does not exist`)
    return named
  }
  return existing() ?? install()
}

const existing = (): string | undefined => [chromium.executablePath(), ...systemPaths].find(path => existsSync(path))

function install(): string {
  const attempts: [string, string[]][] = [
    [process.execPath, ['node_modules/playwright/cli.js', 'install', 'chromium']],
    ['apt-get', ['update', '-qq']],
    ['apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core']],
  ]
  for (const [command, words] of attempts) {
    try {
      // Standard output belongs to the reporter of the tests.
      execFileSync(command, words, { stdio: ['ignore', 2, 2], timeout: 300_000 })
    } catch (error) {
      console.error(`${command} ${words.join(' ')} failed: ${(error as Error).message.split('\n')[0]}`)
    }
    const found = existing()
    if (found) return found
  }
  throw new Error('No Chromium was found and none could be installed. Install one and name it in NATTER_CHROMIUM.')
}
