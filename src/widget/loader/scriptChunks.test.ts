import { expect, it } from 'vitest'
import { createScriptChunks } from './scriptChunks.ts'

const files = { core: 'v1/core-1.js', panel: 'v1/panel-1.js', displayMode: 'v1/d-1.js', diagnostics: 'v1/x-1.js' }

it('a failed chunk is retried at another URL in the same folder', async () => {
  const requested: string[] = []
  let fails = true
  const chunks = createScriptChunks('https://chat.example/natter.js', files, async url => {
    requested.push(url)
    if (fails) throw new TypeError('Failed to fetch')
    return {}
  })
  await expect(chunks.core()).rejects.toThrow('Failed to fetch')
  await expect(chunks.core()).rejects.toThrow('Failed to fetch')
  fails = false
  await Promise.all([chunks.core(), chunks.panel()])
  expect(requested).toEqual(
    ['core-1.js', 'core-1.js?1', 'core-1.js?2', 'panel-1.js'].map(file => `https://chat.example/v1/${file}`),
  )
})
