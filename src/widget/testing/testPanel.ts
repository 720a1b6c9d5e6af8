// The panel in a page. Importing this file also registers its cleanup.
import { act, fireEvent, waitFor, within } from '@testing-library/preact'
import { afterEach, beforeEach, vi } from 'vitest'
import { mountPanel } from '../ui/mountPanel.tsx'
import { createFixture } from './uiFixtures.ts'

export const undos: (() => void)[] = []
export const viewport = () => current
let current: EventTarget
beforeEach(() => {
  // happy-dom has no visual viewport: this one is 400 pixels high, above a phone's keyboard.
  current = Object.assign(new EventTarget(), { scale: 1, offsetTop: 12, height: 400 })
  vi.stubGlobal('visualViewport', current)
  return () => vi.unstubAllGlobals()
})
afterEach(async () => {
  // Run tasks that a click has scheduled.
  await new Promise(resolve => setTimeout(resolve))
  for (const undo of undos.splice(0)) undo()
  document.body.replaceChildren()
})

/** Mounts the panel and waits for its transcript, which loads after the composer. */
export async function open(...options: Parameters<typeof mount>) {
  const panel = mount(...options)
  await waitFor(panel.log, { container: panel.layer, interval: 1 })
  return panel
}

/** Mounts the panel as in a page, in the shadow root of a host that also contains the launcher. */
export function mount(prepare: (models: ReturnType<typeof createFixture>) => void = () => {}, isInline = false) {
  const host = document.body.appendChild(document.createElement('div'))
  const root = host.attachShadow({ mode: 'open' })
  const layer = root.appendChild(document.createElement('div'))
  layer.className = 'layer'
  const launcher = layer.appendChild(document.createElement('button'))
  launcher.className = 'launcher'
  launcher.focus()
  const models = createFixture()
  models.panel.opener.value = host
  prepare(models)
  let undo = () => {}
  act(() => {
    undo = mountPanel(root, models, isInline)
  })
  undos.push(undo)
  const view = within(root as unknown as HTMLElement)
  const composer = () => view.getByRole('textbox') as HTMLTextAreaElement
  return { ...models, models, root, layer, launcher, undo, view, composer, log: () => view.getByRole('log') }
}
export const names = (calls: unknown[][]) => calls.map(([name]) => name)
export const write = (field: HTMLTextAreaElement, text: string) => fireEvent.input(field, { target: { value: text } })
