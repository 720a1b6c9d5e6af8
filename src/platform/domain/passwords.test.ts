import { describe, expect, it } from 'vitest'
import { hashPassword, verifyPassword } from './passwords.ts'

describe('a password', () => {
  it('is stored as a salted hash with its cost, and found again', async () => {
    const [first, second] = [await hashPassword('Füße und Hände'), await hashPassword('Füße und Hände')]
    expect(first).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(first).not.toBe(second)
    expect(await verifyPassword('Füße und Hände', first)).toBe(true)
    // The same letters as another keyboard composes them.
    expect(await verifyPassword('Füße und Hände'.normalize('NFD'), first)).toBe(true)
    expect(await verifyPassword('füße und hände', first)).toBe(false)
  })

  it('is verified with the cost of its hash', async () => {
    const cheap = '$scrypt$ln=10,r=8,p=1$c2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    expect(await verifyPassword('secret', cheap)).toBe(false)
    await expect(verifyPassword('secret', 'none')).rejects.toThrow('cannot be read')
  })

  it('is wrong where there is none', async () => {
    expect(await verifyPassword('')).toBe(false)
    expect(await verifyPassword('secret')).toBe(false)
  })
})
