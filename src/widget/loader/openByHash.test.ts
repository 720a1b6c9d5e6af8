import { afterEach, describe, expect, it } from 'vitest'
import { createChunks } from '../testing/fakeChunks.ts'
import { handle, make, root, settle, storeToken } from '../testing/testHandle.ts'

const isOpen = () => root().querySelector('[part=launcher]')?.getAttribute('aria-expanded') === 'true'

/** Follows a link within the page, as a browser does. */
async function follow(hash: string) {
  const hasChanged = location.hash !== hash
  history.replaceState(null, '', `/page${hash}`)
  dispatchEvent(new PopStateEvent('popstate'))
  if (hasChanged) dispatchEvent(new HashChangeEvent('hashchange'))
  await settle()
}

describe('openByHash', () => {
  afterEach(() => history.replaceState(null, '', '/'))

  it('opens the chat on a page whose address ends in #natter, after the stored session is restored', async () => {
    history.replaceState(null, '', '/orders?id=7#natter')
    storeToken()
    const chunks = createChunks()
    make(chunks)
    await handle.ready
    await settle()
    await settle()
    expect(isOpen()).toBe(true)
    expect(chunks.calls.filter(([name]) => name !== 'mount')).toEqual([['start'], ['setOpen', true]])
  })

  it('leaves an early login of the page to decide whose chat it is', async () => {
    history.replaceState(null, '', '/#natter')
    const chunks = createChunks()
    make(chunks)
    void handle.auth.contacts.login({ token: `c:${'b'.repeat(64)}` })
    await settle()
    await settle()
    expect(isOpen()).toBe(true)
    expect(chunks.calls.map(([name]) => name)).not.toContain('start')
  })

  it('opens the chat when a link of the page is followed, also when it is followed again', async () => {
    make(createChunks())
    await handle.ready
    await settle()
    await follow('#prices')
    expect(isOpen()).toBe(false)
    await follow('#natter')
    expect(isOpen()).toBe(true)
    handle.close()
    await follow('#natter')
    expect(isOpen()).toBe(true)
  })

  it('opens nothing after destroy()', async () => {
    const chunks = createChunks()
    make(chunks)
    await handle.ready
    await settle()
    handle.destroy()
    await follow('#natter')
    expect(chunks.asked).toBe(0)
  })
})
