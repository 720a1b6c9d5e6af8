import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { listen } from '../src/testServer.ts'
import { platformOf, startDemo } from './start.ts'

describe('platformOf', () => {
  const all = { NATTER_BASE_URL: 'https://chat.example', NATTER_BOT_ID: 'b', NATTER_ORGANIZATION_TOKEN: 'o_1' }
  it('accepts all three variables or none', () => {
    expect(platformOf(all)).toEqual({ baseUrl: 'https://chat.example', botId: 'b', organizationToken: 'o_1' })
    expect(platformOf({})).toBeUndefined()
  })
  it('throws if only some are set, and names the others', () => {
    expect(() => platformOf({ ...all, NATTER_BOT_ID: '' })).toThrow('Set NATTER_BOT_ID too')
    expect(() => platformOf({ NATTER_BASE_URL: 'x' })).toThrow('NATTER_BOT_ID and NATTER_ORGANIZATION_TOKEN')
  })
})

describe('startDemo', () => {
  it('starts its own platform, embeds its script and links to its desk', async () => {
    const own = await startDemo()
    try {
      const page = await (await fetch(own.url)).text()
      const [, script = ''] = /src="([^"]+\/natter\.js)"/.exec(page) ?? []
      expect((await fetch(script)).status).toBe(200)
      expect(own.guides).toBe(script.replace('/natter.js', '/docs'))
      expect(page).toContain(`<a href="${own.invitation}" target="_blank">answer as Nora</a>`)
    } finally {
      await own.close()
    }
  })

  it('rejects on a port that is taken', async () => {
    const { port, close } = await listen(createServer())
    await expect(startDemo({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await close()
  })
})

it("keeps the part that a site copies, the shop's own server, under 60 lines", () => {
  expect(readFileSync(new URL('server.ts', import.meta.url), 'utf8').split('\n').length).toBeLessThan(60)
})
