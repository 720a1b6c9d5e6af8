import { describe, expect, it } from 'vitest'
import { createChunks } from '../testing/fakeChunks.ts'
import { handle, make, settle, storeToken, token } from '../testing/testHandle.ts'

const handedOver = (chunks: ReturnType<typeof createChunks>) =>
  chunks.calls.filter(([name]) => name === 'finishLogout').map(([, , tokens]) => tokens)

describe('the tokens of a logout without the core', () => {
  it('are revoked when the network is back, though the page has called logout() before for nobody', async () => {
    const chunks = createChunks()
    chunks.fails = true
    make(chunks)
    await handle.ready
    // A page that calls it whenever nobody is signed in.
    await handle.auth.contacts.logout()
    // Another tab logs in; the core still can't be loaded here.
    storeToken()
    window.dispatchEvent(new Event('storage'))
    await settle()
    await handle.auth.contacts.logout()
    chunks.fails = false
    dispatchEvent(new Event('online'))
    await settle()
    expect(handedOver(chunks).flat()).toContain(token)
  })
})
