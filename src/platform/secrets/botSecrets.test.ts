import { expect, it } from 'vitest'
import { decryptSecrets, encryptSecrets, type SecretSettings } from './botSecrets.ts'
import { createEncryptionKey, createSecretCipher } from './secretCipher.ts'

const cipher = createSecretCipher(createEncryptionKey())
const openai = (baseUrl: string, apiKey: string): Pick<SecretSettings, 'responder'> => ({
  responder: { kind: 'openai', baseUrl, model: 'small', prompt: '', history: 20, apiKey },
})
const events = (secret: string): Pick<SecretSettings, 'events'> => ({
  events: { url: 'https://hooks.example/', secret, former: { secret, until: '2030-01-01T00:00:00.000Z' } },
})

it.each([
  ['responder', openai('https://api.example/v1', 'sk-1')],
  [
    'responder that is not in use',
    { responder: { kind: 'none' as const, unused: [openai('https://api.example/v1', 'sk-1').responder] } },
  ],
  ['events webhook', events('whsec_1')],
])('encrypts the secrets of a %s, and decrypts them for the same bot alone', (_, settings) => {
  const encrypted = encryptSecrets(cipher, 'ours', settings)
  expect(JSON.stringify(encrypted)).not.toMatch(/sk-1|whsec_1/)
  expect(decryptSecrets(cipher, 'ours', encrypted)).toEqual(settings)
  expect(() => decryptSecrets(cipher, 'theirs', encrypted)).toThrow()
})

it('decrypts an API key for no other base URL than the one that it was given for', () => {
  const { responder } = encryptSecrets(cipher, 'ours', openai('https://api.example/v1', 'sk-1'))
  const moved = { responder: { ...responder, baseUrl: 'https://evil.example/v1' } as SecretSettings['responder'] }
  expect(() => decryptSecrets(cipher, 'ours', moved)).toThrow()
})
