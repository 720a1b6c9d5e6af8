import { expect, it } from 'vitest'
import { createApp, createSSRApp, defineComponent, h } from 'vue'
import { addMain, options, outputs, storeContact, watchConsole, widgets } from '../testing/frameworkFixtures.ts'
import { type UseNatterResult, useNatter } from './vue.ts'

const results: UseNatterResult[] = []

const Visitor = defineComponent(() => {
  const result = useNatter()
  results.push(result)
  return () => h('output', `${result.auth.value.state} ${result.unread.value}`)
})
const App = defineComponent(() => {
  useNatter(options)
  return () => h('div', [h(Visitor), h(Visitor)])
})

it('components share one widget, which goes with the app and comes back with it', async () => {
  const lines = watchConsole()
  for (const _ of ['mounted', 'mounted again']) {
    const app = createApp(App)
    app.mount(addMain())
    await expect.poll(widgets).toHaveLength(1)
    expect(results.at(-1)).toBe(results.at(-2))
    app.unmount()
    expect(widgets()).toEqual([])
  }
  expect(lines).toEqual([])
})

it('a browser takes over what a server rendered, and then knows of the stored contact', async () => {
  const lines = watchConsole()
  storeContact()
  const main = addMain()
  main.innerHTML = '<div><output>anonymous 0</output><output>anonymous 0</output></div>'
  const app = createSSRApp(App)
  app.mount(main)
  await expect.poll(outputs).toEqual(['identifying 0', 'identifying 0'])
  app.unmount()
  expect(lines).toEqual([])
})

it('useNatter() without options says that no component around it has any', () => {
  watchConsole()
  expect(() => createApp(Visitor).mount(addMain())).toThrow('useNatter(options)')
})
