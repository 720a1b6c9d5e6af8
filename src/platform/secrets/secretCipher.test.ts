import { describe, expect, it } from 'vitest'
import { createEncryptionKey, createSecretCipher, isEncrypted, UnreadableSecretError } from './secretCipher.ts'

const secret = 'whsec_c2VjcmV0'
const [oldKey, newKey] = ['old:', 'new:'].map(id => createEncryptionKey().replace(/^.*?:/, id)) as [string, string]
const [old, current] = [createSecretCipher(oldKey), createSecretCipher(`${newKey}, ${oldKey}`)]

describe('createSecretCipher', () => {
  it('decrypts what it has encrypted, which shows nothing of the secret and differs each time', () => {
    const stored = [old.encrypt(secret, 'events/a'), old.encrypt(secret, 'events/a')]
    expect(stored.map(text => old.decrypt(text, 'events/a'))).toEqual([secret, secret])
    expect(stored[0]).not.toBe(stored[1])
    expect(stored.join()).not.toContain(secret.slice(6))
    expect(stored.every(isEncrypted)).toBe(true)
    expect(old.encrypt(stored[0] ?? '', 'events/a')).toBe(stored[0])
  })

  it('encrypts with the first key and decrypts with all, so that keys can be changed', () => {
    expect(current.decrypt(old.encrypt(secret, 'c'), 'c')).toBe(secret)
    expect(current.encrypt(secret, 'c')).toMatch(/^encrypted:new:/)
    expect(() => old.decrypt(current.encrypt(secret, 'c'), 'c')).toThrow(
      'encrypted with the key "new", which is not in NATTER_ENCRYPTION_KEYS: add it',
    )
  })

  it('refuses a wrong key, another context and a changed value, with an error that shows no secret and no key', () => {
    const stored = old.encrypt(secret, 'events/a')
    const other = createSecretCipher(createEncryptionKey().replace(/^.*?:/, 'old:'))
    const changed = stored.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))
    const attempts = [
      () => other.decrypt(stored, 'events/a'),
      () => old.decrypt(stored, 'events/b'),
      () => old.decrypt(changed, 'events/a'),
      () => old.decrypt('encrypted:old:', 'events/a'),
      () => old.decrypt('encrypted:old:AAAA', 'events/a'),
      () => old.decrypt(stored.replaceAll(':', ';').replace(';', ':'), 'events/a'),
    ]
    for (const attempt of attempts) {
      expect(attempt).toThrow(UnreadableSecretError)
      for (const shown of ['whsec_', oldKey.slice(4, 20), stored.slice(-20)]) expect(attempt).not.toThrow(shown)
    }
  })

  it('stores secrets as they are without keys, and reads such secrets with keys', () => {
    const none = createSecretCipher(undefined)
    expect([none.keyId, none.encrypt(secret, 'c'), none.decrypt(secret, 'c')]).toEqual([undefined, secret, secret])
    expect(current.decrypt(secret, 'c')).toBe(secret)
  })

  it('refuses keys of another form, without showing them', () => {
    const bad = ['', 'secretkey', 'a:secretkey', `a:${'A'.repeat(44)}`, `${oldKey},`, `a b:${oldKey.slice(4)}`]
    for (const text of bad) {
      expect(() => createSecretCipher(text), text).toThrow(/^Must be ID:KEY/)
      expect(() => createSecretCipher(text), text).not.toThrow(/secretkey/)
    }
    expect(() => createSecretCipher(`${oldKey},${oldKey}`)).toThrow('"old" appears twice')
  })
})
