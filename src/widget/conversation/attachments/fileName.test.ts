import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { attachmentsSchema, maxAttachmentNameLength } from '../../../contract/index.ts'
import { fileName, maxFileNameLength } from './fileName.ts'

describe('fileName', () => {
  it.each([
    ['photo.png', 'photo.png'],
    ['../a\\b.png', '.._a_b.png'],
    ['gpj.\u202eexe', 'gpj._exe'],
    [' \n', '_'],
    ['', 'file'],
    [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(196)}.pdf`],
  ])('makes %j a name that the platform accepts', (name, expected) => {
    expect(fileName(name)).toBe(expected)
    expect(maxFileNameLength).toBe(maxAttachmentNameLength)
  })

  it('makes a name that the platform accepts, whatever characters it has', () => {
    const isAccepted = (name: string) => v.is(attachmentsSchema, [{ id: crypto.randomUUID(), name }])
    const refused: string[] = []
    for (let first = 0; first <= 0x10ffff; first += 64) {
      const chars = Array.from({ length: 64 }, (_, index) => String.fromCodePoint(first + index))
      if (!isAccepted(fileName(chars.join('-')))) refused.push(`U+${first.toString(16)}`)
    }
    expect(refused).toEqual([])
  })
})
