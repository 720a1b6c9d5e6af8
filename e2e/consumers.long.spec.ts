import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import vue from '@vitejs/plugin-vue'
import { publint } from 'publint'
import { compile } from 'svelte/compiler'
import { Chat, expect, test } from './fixtures.ts'
import { type InstalledPackage, installPackage } from './installedPackage.ts'
import { openApp } from './openApp.ts'
import { root } from './processes.ts'

const run = promisify(execFile)

let installed: InstalledPackage
test.describe.configure({ mode: 'default', timeout: 240_000 })
test.beforeAll(async () => {
  installed = await installPackage()
  for (const name of ['react', 'react-dom', 'vue', 'svelte']) installed.linkDependency(name)
})
test.afterAll(() => installed.remove())

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

test('a Vue app can show, remove and show the element again', async ({ page, platform }) => {
  installed.write('App.vue', vueApp)
  installed.write(
    'main.js',
    `import { createApp } from 'vue'; import App from './App.vue'; createApp(App).mount('main')`,
  )
  const compilerOptions = { isCustomElement: (tag: string) => tag.startsWith('natter-') }
  await openApp(page, installed, 'main.js', { settings: platform, plugins: [vue({ template: { compilerOptions } })] })
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
// Both versions are dependencies of this repository, so npm has them in its cache.
const preacts = [dependencies['preact'], devDependencies['preact-10']?.replace('npm:preact@', '')] as string[]

for (const preact of preacts) {
  test(`in an app that uses Preact ${preact} and signals, both its components and the panel update`, async ({
    page,
    platform,
  }) => {
    const site = await installPackage({ preact, '@preact/signals': dependencies['@preact/signals'] as string })
    try {
      const { version } = JSON.parse(readFileSync(join(site.folder, 'node_modules/preact/package.json'), 'utf8'))
      expect(version).toBe(preact)
      site.write('main.js', preactApp)
      await openApp(page, site, 'main.js', { settings: platform })
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

test('a server can render a component that imports and calls the widget, without output or open handles', async () => {
  installed.write('server.js', serverApp)
  const { stdout, stderr } = await run(process.execPath, [join(installed.folder, 'server.js')], { timeout: 30_000 })
  expect(stdout.trim()).toBe('<natter-chat bot-id="bot">anonymous</natter-chat> [{"contact":null},null]')
  expect(stderr).toBe('')
})

const renderedApps = `
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { render } from 'svelte/server'
import { createSSRApp, h } from 'vue'
import { renderToString as renderVue } from 'vue/server-renderer'
import { NatterProvider, useNatter } from 'natter/react'
import { useNatter as useInVue } from 'natter/vue'
import SvelteApp from './App.svelte.js'

const options = { botId: 'bot', baseUrl: 'https://chat.example' }
function Visitor() {
  const { natter, unread, auth } = useNatter()
  natter.open()
  return createElement('b', null, auth.state, unread)
}
const vueApp = createSSRApp({
  setup() {
    const { natter, unread, auth } = useInVue(options)
    natter.open()
    return () => h('b', [auth.value.state, unread.value])
  },
})
console.log(renderToString(createElement(NatterProvider, options, createElement(Visitor))))
console.log(await renderVue(vueApp))
console.log(render(SvelteApp, { props: { options } }).body)
`

const svelteApp = `
<script>
  import { useNatter } from 'natter/svelte'
  let { options } = $props()
  const { natter, unread, auth } = useNatter(options)
  natter.open()
</script>
<b>{$auth.state}{$unread}</b>
`

test('a server can render apps of React, Vue and Svelte, without output or open handles', async () => {
  installed.write('App.svelte.js', compile(svelteApp, { generate: 'server' }).js.code)
  installed.write('apps.js', renderedApps)
  const { stdout, stderr } = await run(process.execPath, [join(installed.folder, 'apps.js')], { timeout: 30_000 })
  const texts = stdout.trim().split('\n')
  expect(texts.map(text => text.replace(/<!--.*?-->/g, ''))).toEqual(Array(3).fill('<b>anonymous0</b>'))
  expect(stderr).toBe('')
})

test('in Next.js, a component that renders on the server alone can show the provider', () => {
  const code = readFileSync(join(installed.folder, 'node_modules/natter/dist/widget/react.js'), 'utf8')
  expect(code).toMatch(/^["']use client["']/)
})

const typedApps = `
import { createElement } from 'react'
import { NatterProvider, useNatter } from 'natter/react'
import { useNatter as useInSvelte } from 'natter/svelte'
import { useNatter as useInVue } from 'natter/vue'
import type { WidgetHandle } from 'natter'
import type { Readable } from 'svelte/store'
import type { Ref } from 'vue'

const options = { botId: 'bot', baseUrl: 'https://chat.example' }
export const app = createElement(NatterProvider, { ...options, locale: 'de' }, 'App')
export const [handle, count, name]: [WidgetHandle, number, string | undefined] = [
  useNatter().natter,
  useNatter().unread,
  useNatter().auth.contact?.name,
]
export const ref: Readonly<Ref<number>> = useInVue(options).unread
export const store: Readable<number> = useInSvelte().unread
// @ts-expect-error
createElement(NatterProvider, { botId: 'bot' })
// @ts-expect-error
useInVue({ botId: 'bot' })
// @ts-expect-error
useInSvelte({ baseUrl: 'https://chat.example' })
`

test('the entries for React, Vue and Svelte are typed', async () => {
  installed.write('apps.ts', typedApps)
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, target: 'es2024', lib: ['es2024', 'dom'], types: [] },
    ...{ module: 'preserve', moduleResolution: 'bundler' },
    // The types of React are not installed. Preact has the same.
    paths: { react: [join(root, 'node_modules/preact/compat/src/index.d.ts')] },
  }
  installed.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['apps.ts'] }))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler, '-p', installed.folder]).catch(error => error)
  expect(stdout).toBe('')
})

test('publint and attw find no problem in the package, for bundlers and for ES modules on Node', async () => {
  const { messages } = await publint({
    pkgDir: join(installed.folder, 'node_modules/natter'),
    pack: false,
    strict: true,
  })
  expect(messages).toEqual([])
  const tarball = createPackageFromTarballData(new Uint8Array(readFileSync(installed.tarball)))
  const analysis = await checkPackage(tarball, { excludeEntrypoints: ['./natter.js', './integrity.json'] })
  expect(analysis.types).toBeTruthy()
  const problems = 'problems' in analysis ? analysis.problems : []
  // The package contains only ES modules.
  const others = ['node10', 'node16-cjs']
  expect(problems.filter(each => !('resolutionKind' in each && others.includes(each.resolutionKind)))).toEqual([])
})

test('the package carries the licences of all that is built into it', () => {
  const notices = readFileSync(join(installed.folder, 'node_modules/natter/dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  const names = [
    'preact',
    '@preact/signals-core',
    '@orama/stemmers',
    'idb-keyval',
    'valibot',
    'hono',
    '@hono/node-server',
    'pino',
  ]
  for (const name of [...names, 'commander', 'eventsource-parser'])
    expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'))
})
