import { createElement as h, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { addMain, options, outputs, storeContact, watchConsole, widgets } from '../testing/frameworkFixtures.ts'
import { NatterProvider, type NatterProviderProps, type UseNatterResult, useNatter } from './react.ts'

const results: UseNatterResult[] = []

function Visitor() {
  const result = useNatter()
  results.push(result)
  return h('output', null, `${result.auth.state} ${result.unread}`)
}

const app = (props: Partial<NatterProviderProps> = {}) =>
  h(StrictMode, null, h(NatterProvider, { ...options, ...props }, h(Visitor, null), h(Visitor, null)))

it('in StrictMode, components share one widget, which goes with the provider and comes back with it', async () => {
  const lines = watchConsole()
  for (const _ of ['mounted', 'mounted again']) {
    const root = createRoot(addMain())
    root.render(app())
    await expect.poll(widgets).toHaveLength(1)
    expect(results.at(-1)?.natter).toBe(results.at(-2)?.natter)
    root.unmount()
    await expect.poll(widgets).toEqual([])
  }
  expect(lines).toEqual([])
})

it('a new locale changes the widget, another theme replaces it, and a new inline function does nothing', async () => {
  const lines = watchConsole()
  const root = createRoot(addMain())
  const name = () => widgets()[0]?.shadowRoot?.querySelector('button')?.getAttribute('aria-label')
  root.render(app({ locale: 'en', page: path => path }))
  await expect.poll(name).toBe('Chat')
  const before = results.at(-1)?.natter
  root.render(app({ locale: 'ru', page: path => path }))
  await expect.poll(name).toBe('Чат')
  expect(results.at(-1)?.natter).toBe(before)
  root.render(app({ locale: 'ru', theme: 'dark', page: path => path }))
  await expect.poll(() => results.at(-1)?.natter).not.toBe(before)
  await expect.poll(widgets).toHaveLength(1)
  root.unmount()
  expect(lines).toEqual([])
})

it('a browser takes over what a server rendered, and then knows of the stored contact', async () => {
  const lines = watchConsole()
  storeContact()
  const main = addMain()
  main.innerHTML = renderToString(app())
  expect(outputs()).toEqual(['anonymous 0', 'anonymous 0'])
  const root = hydrateRoot(main, app())
  await expect.poll(outputs).toEqual(['identifying 0', 'identifying 0'])
  root.unmount()
  expect(lines).toEqual([])
})

it('useNatter() without a provider says what is missing', () => {
  expect(() => renderToString(h(Visitor, null))).toThrow('<NatterProvider>')
})
