import { expect, it } from 'vitest'
import { createViewers } from './viewers.ts'

it('lists who looks at the conversations of some bots in one pass over all viewers', () => {
  let reads = 0
  const viewers = createViewers({ elapsed: () => 0 }, () => {})
  const count = 300
  for (let n = 0; n < count; n++) {
    const conversation = {
      botId: n % 2 ? 'ours' : 'other',
      get id() {
        reads++
        return `v${n >> 2}`
      },
    }
    viewers.hear({ viewer: `${n}`, member: { id: `m${n}`, name: 'Nora' }, conversation })
  }
  reads = 0
  const listed = viewers.list(['ours'])
  expect(reads).toBeLessThan(5 * count)
  expect(listed).toHaveLength(count / 4)
  expect(listed[1]?.members.map(({ id }) => id)).toEqual(['m5', 'm7'])
})
