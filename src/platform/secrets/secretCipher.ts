import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts secrets before they are stored, and decrypts them when they are used. */
export type SecretCipher = ReturnType<typeof createSecretCipher>

/** A stored secret that the keys do not decrypt. The message says what to do, without the secret. */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError'
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
/** The lengths for which GCM is specified. */
const [nonceBytes, tagBytes] = [12, 16]
/** `encrypted:`, the id of the key, `:`, and nonce, ciphertext and tag as base64url. */
const storedForm = /^encrypted:([^:]*):([\w-]*)$/

export const isEncrypted = (stored: string): boolean => stored.startsWith('encrypted:')

/**
 * Creates a cipher from the text of `NATTER_ENCRYPTION_KEYS`. The first key encrypts, and all keys decrypt, so that a new
 * key can be put in front of the old one.
 */
export function createSecretCipher(encryptionKeys: string | undefined) {
  const keys = encryptionKeys === undefined ? new Map<string, Buffer>() : parseEncryptionKeys(encryptionKeys)
  const [first] = keys
  return {
    /** The id of the key that encrypts; `undefined` without keys, in which case secrets are stored as they are. */
    keyId: first?.[0],
    /**
     * Encrypts a secret with the first key. Only the same `context` decrypts it. A secret that is already encrypted is
     * returned unchanged.
     */
    encrypt(secret: string, context: string): string {
      if (!first || isEncrypted(secret)) return secret
      const [keyId, key] = first
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(context))
      const bytes = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `encrypted:${keyId}:${bytes.toString('base64url')}`
    },
    /**
     * Decrypts a stored secret. A secret that is stored unencrypted is returned unchanged. Throws `UnreadableSecretError` if
     * the keys do not decrypt it.
     */
    decrypt(stored: string, context: string): string {
      if (!isEncrypted(stored)) return stored
      const [, keyId = '', text = ''] = storedForm.exec(stored) ?? []
      const key = keys.get(keyId)
      if (!key)
        throw new UnreadableSecretError(
          `A secret in the database is encrypted with the key "${keyId}", which is not in NATTER_ENCRYPTION_KEYS: add it`,
        )
      const bytes = Buffer.from(text, 'base64url')
      const end = Math.max(nonceBytes, bytes.length - tagBytes)
      try {
        const nonce = bytes.subarray(0, nonceBytes)
        const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
          .setAAD(Buffer.from(context))
          .setAuthTag(bytes.subarray(end))
        return decipher.update(bytes.subarray(nonceBytes, end), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        throw new UnreadableSecretError(
          `The key "${keyId}" in NATTER_ENCRYPTION_KEYS does not decrypt a secret in the database: give the key that had this id when the secret was stored`,
        )
      }
    },
  }
}

/** Parses `ID:KEY,ID:KEY`, with keys of 32 bytes as base64. The errors are sentences for the operator, and contain no key. */
export function parseEncryptionKeys(text: string): Map<string, Buffer> {
  const keys = new Map<string, Buffer>()
  for (const part of text.split(',')) {
    const [, keyId = '', base64 = ''] = /^([\w.-]{1,64}):([A-Za-z0-9+/]{43}=)$/.exec(part.trim()) ?? []
    const key = Buffer.from(base64, 'base64')
    if (key.length !== keyBytes)
      throw new Error('Must be ID:KEY, or several separated by commas, as "natter secret create-key" prints them.')
    if (keys.has(keyId)) throw new Error(`Must have a different id for each key: "${keyId}" appears twice.`)
    keys.set(keyId, key)
  }
  return keys
}

/** A new key for `NATTER_ENCRYPTION_KEYS`. Its id is random, so that it is never that of another key. */
export const createEncryptionKey = (): string =>
  `${randomBytes(4).toString('hex')}:${randomBytes(keyBytes).toString('base64')}`
