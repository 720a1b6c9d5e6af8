import { describe, expect, it } from 'vitest'

const names = async (entry: Promise<object>): Promise<string[]> => Object.keys(await entry).sort()

describe('what each entry exports', () => {
  it('natter', async () => {
    expect(await names(import('./widget/index.ts'))).toMatchInlineSnapshot()
  })

  it('natter/sdk', async () => {
    expect(await names(import('./sdk/index.ts'))).toMatchInlineSnapshot()
  })

  it('natter/platform', async () => {
    expect(await names(import('./platform/index.ts'))).toMatchInlineSnapshot()
  })

  it('natter/contract', async () => {
    expect(await names(import('./contract/index.ts'))).toMatchInlineSnapshot()
  })
})
