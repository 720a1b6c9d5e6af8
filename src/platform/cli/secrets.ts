import { count } from '../count.ts'
import { changeSettings } from '../domain/bots.ts'
import { decryptSecrets, encryptSecrets, listSecrets } from '../secrets/botSecrets.ts'
import { createEncryptionKey, createSecretCipher } from '../secrets/secretCipher.ts'
import { command, type Topic, UsageError } from './command.ts'
import { database, findBot, onStore } from './database.ts'
import { encryptionKeys } from './serveOptions.ts'

export const secrets: Topic = {
  name: 'secret',
  summary: 'Encrypts stored webhook secrets and API keys',
  note: `To begin: put a key into NATTER_ENCRYPTION_KEYS of the servers and of these commands, start the servers anew, "encrypt".
To change the key: put the new one in front, with a comma, start the servers anew, "encrypt", then remove the old one.
With several servers, first give all of them the new key behind the old one. Keep old keys as long as old backups.`,
  commands: [
    command({
      name: 'secret create-key',
      summary: 'Prints a new key for NATTER_ENCRYPTION_KEYS',
      options: [],
      async run({ printLine }) {
        printLine(createEncryptionKey())
      },
    }),
    command({
      name: 'secret encrypt',
      summary: 'Encrypts all secrets in the database with the first key of NATTER_ENCRYPTION_KEYS',
      options: [database, encryptionKeys],
      run: onStore(async ({ values, printLine }, store) => {
        const cipher = createSecretCipher(values.encryptionKeys)
        if (cipher.keyId === undefined)
          throw new UsageError('Set NATTER_ENCRYPTION_KEYS to the key: "natter secret create-key" prints a new one.')
        const bots = await store.listBots()
        // Before the first change, so that a missing key changes nothing.
        for (const bot of bots) decryptSecrets(cipher, bot.id, bot)
        for (const { id } of bots)
          await changeSettings(
            store,
            () => findBot(store, id),
            ({ responder, events }) => ({
              changes: encryptSecrets(cipher, id, decryptSecrets(cipher, id, { responder, events })),
            }),
          )
        const { length } = bots.flatMap(bot => listSecrets(bot.id, bot))
        printLine(`encrypted ${count(length, 'secret')} with the key ${cipher.keyId}`)
      }),
    }),
  ],
}
