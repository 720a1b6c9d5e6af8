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

/**
 * The guide's file for each framework, and an app that shows its component until `unmount()`. `becomesTrue`: what follows from
 * a call of the app's own.
 */
const recipes: { framework: string; file: string; main: string; plugins: Plugin[]; becomesTrue?: string }[] = [
  {
    framework: 'React, in StrictMode',
    file: 'Chat.tsx',
    plugins: [],
    main: `
      import { createElement as h, StrictMode, useEffect } from 'react'
      import { createRoot } from 'react-dom/client'
      import { ChatButton, getNatter, NatterProvider } from './Chat.tsx'
      function App() {
        useEffect(() => void getNatter().auth.refresh().then(() => { window.refreshed = true }), [])
        return h(ChatButton)
      }
      const root = createRoot(document.querySelector('main'))
      root.render(h(StrictMode, null, h(NatterProvider, null, h(App))))
      window.unmount = () => root.unmount()`,
    // The first effect of a component runs before those of the provider around it.
    becomesTrue: 'window.refreshed',
  },
  {
    framework: 'Vue',
    file: 'Chat.vue',
    plugins: [vue()],
    main: `
      import { createApp } from 'vue'
      import Chat from './Chat.vue'
      const app = createApp(Chat)
      app.mount('main')
      window.unmount = () => app.unmount()`,
  },
  {
    framework: 'Svelte',
    file: 'Chat.svelte',
    plugins: [svelte],
    main: `
      import { mount, unmount } from 'svelte'
      import Chat from './Chat.svelte'
      const app = mount(Chat, { target: document.querySelector('main') })
      window.unmount = () => unmount(app)`,
  },
  {
    framework: 'Angular',
    file: 'chat.component.ts',
    plugins: [angular],
    main: `
      import '@angular/compiler'
      import { bootstrapApplication } from '@angular/platform-browser'
      import { ChatComponent } from './chat.component.ts'
      document.querySelector('main').append(document.createElement('app-chat'))
      const app = await bootstrapApplication(ChatComponent)
      window.unmount = () => app.destroy()`,
  },
]

for (const { framework, file, main, plugins, becomesTrue = 'true' } of recipes) {
  test(`the guide's recipe for ${framework} opens the chat, counts unread messages, and leaves nothing behind`, async ({
    page,
    platform,
    client,
  }) => {
    const recipe = codeFile('src/widget/README.md', file)
    installed.write(file, recipe.replace('https://chat.example', platform.baseUrl).replace('BOT_ID', platform.botId))
    installed.write('main.js', main)
    await page.route('**/chat-token', route => route.fulfill({ status: 401 }))
    await openApp(page, installed, 'main.js', { settings: platform, plugins })
    const button = page.getByRole('button', { name: /^Ask us/ })
    await expect(page.locator('[data-natter]')).toHaveCount(1)
    await button.click()
    const chat = new Chat(page)
    await expect(chat.panel).toBeVisible()
    await chat.ask('How do I return something?', /30 days/)
    await chat.panel.getByRole('button', { name: 'Close chat' }).click()
    const [conversation] = (await client.conversations.list({ limit: 1 })).data
    await client.conversations.messages.send(conversation?.id ?? '', { text: 'Which size do you need?' })
    await expect(button).toHaveText(/\(1\)/)
    await expect.poll(() => page.evaluate(becomesTrue)).toBe(true)
    await page.evaluate('unmount()')
    await expect(page.locator('[data-natter]')).toHaveCount(0)
  })
}
