import vue from '@vitejs/plugin-vue'
import { compile } from 'svelte/compiler'
import type { Plugin } from 'vite'
import { codeFile } from '../src/guides.ts'
import { Chat, expect, test } from './fixtures.ts'
import { type InstalledPackage, installPackage } from './installedPackage.ts'
import { openApp } from './openApp.ts'

let installed: InstalledPackage
test.describe.configure({ mode: 'default', timeout: 240_000 })
test.beforeAll(async () => {
  installed = await installPackage()
  for (const name of ['@angular', 'react', 'react-dom', 'vue', 'svelte']) installed.linkDependency(name)
})
test.afterAll(() => installed.remove())

const svelte: Plugin = {
  name: 'svelte',
  transform: (code, id) => (id.endsWith('.svelte') ? compile(code, { filename: id, dev: false }).js : null),
}

/** Angular's decorators are those of TypeScript, and its templates are compiled in the browser here. */
const angular: Plugin = { name: 'angular', config: () => ({ oxc: { decorator: { legacy: true } } }) }

/** Beside the guide's button, a component of each framework shows who the visitor is. */
const visitors = {
  'Visitor.tsx': `
    import { createElement } from 'react'
    import { useNatter } from 'natter/react'
    export default function Visitor() {
      const { auth } = useNatter()
      return createElement('output', null, auth.contact?.name ?? auth.state)
    }`,
  'Visitor.vue': `
    <script setup>
    import { useNatter } from 'natter/vue'
    const { auth } = useNatter()
    </script>
    <template><output>{{ auth.contact?.name ?? auth.state }}</output></template>`,
  'Visitor.svelte': `
    <script>
      import { useNatter } from 'natter/svelte'
      const { auth } = useNatter()
    </script>
    <output>{$auth.contact?.name ?? $auth.state}</output>`,
}

/** The guide's files for each framework, and an app that `mount()` shows until `unmount()`. */
const recipes: { framework: string; files: string[]; main: string; plugins: Plugin[] }[] = [
  {
    framework: 'React, in StrictMode',
    files: ['App.tsx', 'ChatButton.tsx'],
    plugins: [],
    main: `
      import { createElement as h, StrictMode } from 'react'
      import { createRoot } from 'react-dom/client'
      import { App } from './App.tsx'
      let root
      window.mount = () => {
        root = createRoot(document.querySelector('main'))
        root.render(h(StrictMode, null, h(App)))
      }
      window.unmount = () => root.unmount()`,
  },
  {
    framework: 'Vue',
    files: ['App.vue', 'ChatButton.vue'],
    plugins: [vue()],
    main: `
      import { createApp } from 'vue'
      import App from './App.vue'
      let app
      window.mount = () => {
        app = createApp(App)
        app.mount('main')
      }
      window.unmount = () => app.unmount()`,
  },
  {
    framework: 'Svelte',
    files: ['App.svelte', 'ChatButton.svelte'],
    plugins: [svelte],
    main: `
      import { mount, unmount } from 'svelte'
      import App from './App.svelte'
      let app
      window.mount = () => {
        app = mount(App, { target: document.querySelector('main') })
      }
      window.unmount = () => void unmount(app)`,
  },
  {
    framework: 'Angular',
    files: ['chat.component.ts'],
    plugins: [angular],
    main: `
      import '@angular/compiler'
      import { bootstrapApplication } from '@angular/platform-browser'
      import { ChatComponent } from './chat.component.ts'
      let app
      window.mount = async () => {
        document.querySelector('main').append(document.createElement('app-chat'))
        app = await bootstrapApplication(ChatComponent)
      }
      window.unmount = () => app.destroy()`,
  },
]

for (const { framework, files, main, plugins } of recipes) {
  test(`the guide's code for ${framework} opens the chat, counts unread messages, knows the contact, and leaves nothing behind`, async ({
    page,
    platform,
    client,
  }) => {
    const warnings: string[] = []
    page.on('console', message => message.text().startsWith('Natter') && warnings.push(message.text()))
    for (const [name, code] of Object.entries(visitors)) installed.write(name, code)
    for (const file of files) {
      const code = codeFile('src/widget/README.md', file)
        .replace('https://chat.example', platform.baseUrl)
        .replace('BOT_ID', platform.botId)
        .replace('<ChatButton />', '<ChatButton /><Visitor />')
        .replace(/^ *import .* from '.\/ChatButton\.(\w+)'\n/m, "$&import Visitor from './Visitor.$1'\n")
      installed.write(file, code)
    }
    installed.write('main.js', main)
    const { id } = await client.contacts.create({ email: `${crypto.randomUUID()}@shop.example`, name: 'Ada' })
    const { token } = await client.contactTokens.create({ id })
    await page.route('**/chat-token', route => route.fulfill({ json: { data: { token } } }))
    await openApp(page, installed, 'main.js', { settings: platform, plugins })
    await page.evaluate('mount()')
    const button = page.getByRole('button', { name: /^Ask us/ })
    const widgets = page.locator('[data-natter]')
    const visitor = page.locator('main output')
    const hasVisitor = files.length > 1
    await expect(widgets).toHaveCount(1)
    if (hasVisitor) await expect(visitor).toHaveText('anonymous')
    await button.click()
    const chat = new Chat(page)
    await expect(chat.panel).toBeVisible()
    await chat.ask('How do I return something?', /30 days/)
    if (hasVisitor) await expect(visitor).toHaveText('Ada')
    await chat.panel.getByRole('button', { name: 'Close chat' }).click()
    const [conversation] = (await client.conversations.list({ limit: 1 })).data
    await client.conversations.messages.send(conversation?.id ?? '', { text: 'Which size do you need?' })
    await expect(button).toHaveText(/\(1\)/)
    await page.evaluate('unmount()')
    await expect(widgets).toHaveCount(0)
    await page.evaluate('mount()')
    await expect(button).toHaveText(/\(1\)/)
    if (hasVisitor) await expect(visitor).toHaveText('Ada')
    await expect(widgets).toHaveCount(1)
    await page.evaluate('unmount()')
    await expect(widgets).toHaveCount(0)
    expect(warnings).toEqual([])
  })
}
