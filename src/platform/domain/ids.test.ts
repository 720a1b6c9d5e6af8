import { describe, expect, it } from 'vitest'
import { createId, isId } from './ids.ts'

describe('createId', () => {
  it('creates a UUIDv7 with the time and 74 random bits', () => {
    const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
    const ids = Array.from({ length: 1000 }, () => createId(now))
    expect(new Set(ids).size).toBe(1000)
    for (const id of ids) {
      expect(isId(id)).toBe(true)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
      expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(now)
    }
  })

  it('sorts by time', () => {
    const ids = [0, 1, 255, 256, 2 ** 40, 2 ** 47].map(createId)
    expect(ids.toSorted()).toEqual(ids)
  })
})
