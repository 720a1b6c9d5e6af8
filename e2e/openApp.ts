import type { Page } from '@playwright/test'
import { build, type Plugin } from 'vite'
import { openHtmlPage } from './htmlPage.ts'
import type { InstalledPackage } from './installedPackage.ts'
import type { Platform } from './processes.ts'

interface AppOptions {
  /** The app finds the platform's address and the bot's id in a global `settings`. */
  settings: Pick<Platform, 'baseUrl' | 'botId'>
  plugins?: Plugin[]
}

/** Builds an app of a folder with Vite into a single file and opens it. */
export async function openApp(
  page: Page,
  { folder }: InstalledPackage,
  entry: string,
  { settings: { baseUrl, botId }, plugins = [] }: AppOptions,
): Promise<void> {
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    plugins,
    resolve: { conditions: ['browser', 'module', 'development'] },
    define: { 'process.env.NODE_ENV': '"development"', settings: JSON.stringify({ baseUrl, botId }) },
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ['es'], fileName: 'app' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const output = [built].flat().flatMap(each => ('output' in each ? each.output : []))
  const code = output.map(each => (each.type === 'chunk' ? each.code : '')).join('')
  await page.route('**/app.js', route => route.fulfill({ body: code, contentType: 'text/javascript' }))
  await openHtmlPage(page, '<body><main></main><script type="module" src="/app.js"></script></body>')
}
