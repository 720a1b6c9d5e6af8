import { describe, expect, it, vi } from 'vitest'
import { createChunks } from '../testing/fakeChunks.ts'
import { handle, make, settle } from '../testing/testHandle.ts'

describe("a click on the site's own launcher", () => {
  it.each([true, false])(
    'opens the chat before the chunk that shows its state is there, and closes it also if that is missing (%s)',
    async hasChunk => {
      const chunks = createChunks()
      const { displayMode } = chunks
      const arrived = Promise.withResolvers<void>()
      chunks.displayMode = async () => {
        await arrived.promise
        if (!hasChunk) throw new TypeError('Failed to fetch dynamically imported module')
        return displayMode()
      }
      const link = document.body.appendChild(document.createElement('a'))
      const other = document.body.appendChild(document.createElement('a'))
      link.className = 'help'
      make(chunks, { launcher: '.help' })
      await settle()
      const click = () => new MouseEvent('click', { bubbles: true, cancelable: true })
      expect([link.dispatchEvent(click()), other.dispatchEvent(click())]).toEqual([false, true])
      arrived.resolve()
      await vi.waitFor(() => expect(chunks.calls).toContainEqual(['setOpen', true]), 15_000)
      if (hasChunk) expect(link.getAttribute('aria-expanded')).toBe('true')
      expect(link.dispatchEvent(click())).toBe(false)
      expect(chunks.calls).toContainEqual(['setOpen', false])
      if (hasChunk) expect(link.getAttribute('aria-expanded')).toBe('false')
      link.remove()
      other.remove()
    },
  )

  it("leaves clicks on the site's own launcher to the page once the widget is destroyed", async () => {
    const chunks = createChunks()
    chunks.displayMode = () => new Promise(() => {})
    const link = document.body.appendChild(document.createElement('a'))
    link.className = 'help'
    const click = () => link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
    make(chunks, { launcher: '.help' })
    await settle()
    expect(click()).toBe(false)
    handle.destroy()
    expect(click()).toBe(true)
    make(chunks, { launcher: '.help' }).destroy()
    await settle()
    expect(click()).toBe(true)
    link.remove()
  })

  it("keeps an inline chat open if the site's own launcher was clicked before the chat was loaded", async () => {
    const link = document.body.appendChild(document.createElement('a'))
    const target = document.createElement('div')
    link.className = 'help'
    const state = vi.spyOn(Document.prototype, 'readyState', 'get').mockReturnValue('loading')
    const chunks = createChunks()
    make(chunks, { launcher: '.help', mode: 'inline', target: '#chat' })
    await settle()
    // The target comes after the script: at the time of the click the chunk is loaded and waits for the target.
    await vi.waitFor(() => import('../displayMode/index.ts'), 15_000)
    await settle()
    link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
    target.id = 'chat'
    document.body.append(target)
    state.mockRestore()
    window.dispatchEvent(new Event('DOMContentLoaded'))
    await vi.waitFor(() => expect(chunks.calls).toContainEqual(['setOpen', true]), 15_000)
    await vi.runAllTimersAsync()
    expect(chunks.calls).not.toContainEqual(['setOpen', false])
    expect(link.getAttribute('aria-expanded')).toBe('true')
    link.remove()
    target.remove()
  })
})
