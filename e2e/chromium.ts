import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'

/** Debian's package of Chromium without its own windows. */
const shellPath = '/usr/bin/chromium-headless-shell'
const systemPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** What Chromium starts for each window of a person: renderers for the popups of its address bar, and one in reserve. */
const unused = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'SpareRendererForSitePerProcess']

/** What Playwright turns off. It is repeated because Chromium obeys only the last `--disable-features`. */
const disabledByPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'BlockOriginHeaderModificationOnRedirect',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'Translate',
  'AutoDeElevate',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
]

export const chromiumArgs: string[] = [
  '--disable-gpu',
  '--disable-quic',
  `--disable-features=${[...disabledByPlaywright, ...unused].join(',')}`,
]

/** The path of a Chromium: `NATTER_CHROMIUM`, Playwright's own, a system one, or one installed now. */
export function findChromium(): string {
  const configured = process.env['NATTER_CHROMIUM']
  if (configured) {
    if (!existsSync(configured)) throw new Error(`NATTER_CHROMIUM is ${configured}, which does not exist`)
    return configured
  }
  return findExisting() ?? install()
}

/**
 * The path of the browser of most tests: Chromium's headless shell, which is faster than the whole browser, but has no
 * back/forward cache. `undefined` stands for Playwright's own. Where there is no shell, it is the whole browser.
 */
export function findHeadlessShell(): string | undefined {
  const path = findChromium()
  if (path === chromium.executablePath()) return undefined
  return !process.env['NATTER_CHROMIUM'] && existsSync(shellPath) ? shellPath : path
}

const findExisting = (): string | undefined =>
  [chromium.executablePath(), ...systemPaths].find(path => existsSync(path))

const debianPackages = ['chromium', 'chromium-headless-shell', 'fonts-dejavu-core']

function install(): string {
  const attempts: [string, string[]][] = [
    [process.execPath, ['node_modules/playwright/cli.js', 'install', 'chromium']],
    ['apt-get', ['update', '-qq']],
    ['apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...debianPackages]],
  ]
  for (const [command, args] of attempts) {
    try {
      // The test reporter owns stdout, so the installer's output goes to stderr.
      execFileSync(command, args, { stdio: ['ignore', 2, 2], timeout: 300_000 })
    } catch (error) {
      console.error(`${command} ${args.join(' ')} failed: ${(error as Error).message.split('\n')[0]}`)
    }
    const found = findExisting()
    if (found) return found
  }
  throw new Error('No Chromium was found and none could be installed. Install one and set NATTER_CHROMIUM to its path.')
}
