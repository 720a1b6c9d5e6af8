import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import type { Page } from '@playwright/test'
import vue from '@vitejs/plugin-vue'
import { publint } from 'publint'
import { build, type Plugin } from 'vite'
import { Chat, expect, test } from './fixtures.ts'
import { openMadePage } from './madePage.ts'
import { installPacked, type Packed } from './packed.ts'
import { type Platform, root } from './processes.ts'

const run = promisify(execFile)

let packed: Packed
test.describe.configure({ mode: 'default', timeout: 120_000 })
test.beforeAll(async () => {
  packed = await installPacked()
  for (const name of ['react', 'react-dom', 'vue']) packed.lend(name)
})
test.afterAll(() => packed.remove())

/** Builds an app with Vite, as a developer sees it, and opens it; its parts come with it. */
async function openApp(
  page: Page,
  { baseUrl, botId }: Platform,
  entry: string,
  plugins: Plugin[] = [],
  { folder }: Packed = packed,
): Promise<void> {
  const settings = JSON.stringify({ baseUrl, botId })
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    plugins,
    define: { 'process.env.NODE_ENV': '"development"', settings },
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
  await openMadePage(page, '<body><main></main><script type="module" src="/app.js"></script></body>')
}

const reactApp = `
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createWidget } from 'natter'

window.mounts = 0
function App() {
  const [word, setWord] = useState('')
  useEffect(() => {
    window.mounts++
    const natter = createWidget(settings)
    void natter.ready.then(() => setWord('ready'))
    return () => natter.destroy()
  }, [])
  return <p>{word}</p>
}
const root = createRoot(document.querySelector('main'))
root.render(<StrictMode><App /></StrictMode>)
window.leave = () => root.unmount()
`

test('a React app in StrictMode, whose effects run twice, has one widget, and none after it', async ({
  page,
  platform,
}) => {
  packed.write('main.jsx', reactApp)
  await openApp(page, platform, 'main.jsx')
  await expect(page.getByText('ready')).toBeVisible()
  expect(await page.evaluate('mounts')).toBe(2)
  await expect(page.locator('[data-natter]')).toHaveCount(1)
  const chat = new Chat(page)
  await chat.open()
  await chat.say('Hello there')
  await page.evaluate('leave()')
  await expect(page.locator('[data-natter]')).toHaveCount(0)
})

const vueApp = `
<script setup>
import 'natter/element'
import { ref } from 'vue'
const shown = ref(true)
const { baseUrl, botId } = settings
</script>
<template>
  <button @click="shown = !shown">Switch</button>
  <natter-chat v-if="shown" :base-url="baseUrl" :bot-id="botId" style="height: 480px" />
</template>
`

test('a Vue app shows the element, takes it away and shows it again', async ({ page, platform }) => {
  packed.write('App.vue', vueApp)
  packed.write('main.js', `import { createApp } from 'vue'; import App from './App.vue'; createApp(App).mount('main')`)
  const compilerOptions = { isCustomElement: (tag: string) => tag.startsWith('natter-') }
  await openApp(page, platform, 'main.js', [vue({ template: { compilerOptions } })])
  const log = page.getByRole('log')
  await page.getByRole('textbox').fill('Hello there')
  await page.getByRole('textbox').press('Enter')
  await expect(log).toContainText('Sent')
  await page.getByRole('button', { name: 'Switch' }).click()
  await expect(page.locator('natter-chat, [data-natter]')).toHaveCount(0)
  await page.getByRole('button', { name: 'Switch' }).click()
  await expect(log).toContainText('Hello there')
})

const preactApp = `
import { h, render } from 'preact'
import { computed, signal } from '@preact/signals'
import { createWidget } from 'natter'

const count = signal(0)
const isEven = computed(() => count.value % 2 === 0)
function Counter() {
  return h('button', { title: isEven.value ? 'even' : 'odd', onClick: () => count.value++ }, 'Counted ', count)
}
render(h(Counter), document.querySelector('main'))
createWidget(settings)
`

const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}
// Both versions are dependencies of this repository, so that npm has them at hand.
const preacts = [dependencies['preact'], devDependencies['preact-10']?.replace('npm:preact@', '')] as string[]

for (const preact of preacts) {
  test(`an app of Preact ${preact} with signals of its own: its components and the panel both update`, async ({
    page,
    platform,
  }) => {
    const site = await installPacked({ preact, '@preact/signals': dependencies['@preact/signals'] as string })
    try {
      const { version } = JSON.parse(readFileSync(join(site.folder, 'node_modules/preact/package.json'), 'utf8'))
      expect(version).toBe(preact)
      site.write('main.js', preactApp)
      await openApp(page, platform, 'main.js', [], site)
      const counter = page.getByRole('button', { name: /Counted/ })
      await counter.click()
      await expect(counter).toHaveText('Counted 1')
      const chat = new Chat(page)
      await chat.open()
      await chat.say('Hello there')
      await expect(chat.composer).toHaveValue('')
      await counter.click()
      await expect(counter).toHaveText('Counted 2')
      await expect(counter).toHaveAttribute('title', 'even')
      await chat.say('And again')
    } finally {
      site.remove()
    }
  })
}

const serverApp = `
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { createWidget } from 'natter'
import 'natter/element'

const natter = createWidget({ botId: 'bot', baseUrl: 'https://chat.example' })
const answers = []
function App() {
  natter.on('auth', () => {})()
  for (const name of ['open', 'close', 'toggle', 'show', 'hide']) natter[name]()
  natter.message({ text: 'Hello' })
  natter.off('auth', () => {})
  answers.push(natter.auth.contacts.login({ token: 'c:1' }), natter.auth.contacts.logout())
  return createElement('natter-chat', { 'bot-id': 'bot' }, natter.auth.state, natter.auth.contacts.current)
}
console.log(renderToString(createElement(App)), JSON.stringify(await Promise.all(answers)))
natter.destroy()
`

test('a server renders a component that imports and calls it, says nothing and ends', async () => {
  packed.write('server.js', serverApp)
  const { stdout, stderr } = await run(process.execPath, [join(packed.folder, 'server.js')], { timeout: 30_000 })
  expect(stdout.trim()).toBe('<natter-chat bot-id="bot">anonymous</natter-chat> [{"contact":null},null]')
  expect(stderr).toBe('')
})

test('publint and attw find nothing in the package, for bundlers and for ES modules on Node', async () => {
  const { messages } = await publint({ pkgDir: join(packed.folder, 'node_modules/natter'), pack: false, strict: true })
  expect(messages).toEqual([])
  const tarball = createPackageFromTarballData(new Uint8Array(readFileSync(packed.tarball)))
  const analysis = await checkPackage(tarball, { excludeEntrypoints: ['./natter.js', './integrity.json'] })
  expect(analysis.types).toBeTruthy()
  const problems = 'problems' in analysis ? analysis.problems : []
  // The package is of ES modules only.
  const others = ['node10', 'node16-cjs']
  expect(problems.filter(each => !('resolutionKind' in each && others.includes(each.resolutionKind)))).toEqual([])
})

test('the package carries the licences of all that is built into it', () => {
  const notices = readFileSync(join(packed.folder, 'node_modules/natter/dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  const names = ['preact', '@preact/signals-core', 'idb-keyval', 'valibot', 'hono', '@hono/node-server', 'pino']
  for (const name of [...names, 'commander', 'eventsource-parser'])
    expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'))
})
