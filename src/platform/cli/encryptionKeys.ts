import { listSecrets } from '../secrets/botSecrets.ts'
import { createSecretCipher, isEncrypted, type SecretCipher } from '../secrets/secretCipher.ts'
import type { Store } from '../store/store.ts'
import type { ValuesOf } from './option.ts'
import { serveOptions } from './serveOptions.ts'
import { UsageError } from './usageError.ts'

/** The option of commands that store secrets. */
export const encryptionKeys = { 'encryption-keys': serveOptions['encryption-keys'] }

/**
 * The cipher for the secrets of a database. Refuses to store one unencrypted beside encrypted ones: this environment
 * then lacks the variable that the server has.
 */
export async function openCipher(store: Store, values: ValuesOf<typeof encryptionKeys>): Promise<SecretCipher> {
  const cipher = createSecretCipher(values['encryption-keys'])
  if (cipher.keyId !== undefined) return cipher
  const secrets = (await store.listBots()).flatMap(bot => listSecrets(bot.id, bot))
  if (!secrets.some(isEncrypted)) return cipher
  throw new UsageError('The secrets in this database are encrypted: set NATTER_ENCRYPTION_KEYS as for its server.')
}
