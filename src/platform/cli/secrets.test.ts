import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { startPlatform } from '../start.ts'
import { createTestCli, type TestCli } from '../testing/testCli.ts'
import { UsageError } from './command.ts'

let cli: TestCli
beforeEach(async () => {
  cli = await createTestCli()
})

const urls = '--responder webhook --webhook-url https://a.example/ --events-url https://b.example/'
const createBot = () => cli.createBot(...urls.split(' '))
const rotate = (id: string, which: string) => cli.natter('bot', 'secret', id, '--rotate', which)
const createKey = async (): Promise<string> => String(await cli.natter('secret', 'create-key'))
const useKeys = (...keys: string[]) => {
  cli.environment['NATTER_ENCRYPTION_KEYS'] = keys.join(',')
}
const encrypt = () => cli.natter('secret', 'encrypt')
const serve = async (encryptionKeys?: string) => {
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const started = await startPlatform({ database: cli.database, port: 0, log, encryptionKeys })
  await started.close()
  return lines.join('')
}
const contentsOf = (folder: string): string =>
  readdirSync(folder)
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile())
    .map(path => readFileSync(path, 'latin1'))
    .join('')

describe('natter secret', () => {
  it('keeps secrets out of the database, of backups and of what the commands show', async () => {
    useKeys(await createKey())
    const { id, webhookSecret, eventsSecret } = await createBot()
    const secrets = [webhookSecret, eventsSecret, ...(await rotate(id, 'webhook'))].map(String)
    expect(new Set(secrets).size).toBe(3)
    const backups = join(cli.folder, 'backups')
    mkdirSync(backups)
    await cli.natter('backup', join(backups, 'copy.db'))
    const shown = [...(await cli.natter('bot', 'show', id)), ...(await cli.natter('bot', 'show', id, '--json'))]
    for (const text of [contentsOf(cli.folder), contentsOf(backups), shown.join()])
      for (const secret of secrets) expect(text).not.toContain(secret.slice('whsec_'.length))
    expect(contentsOf(backups)).toContain('encrypted:')
  })

  it('encrypts secrets that were stored before there was a key', async () => {
    const { webhookSecret } = await createBot()
    const key = await createKey()
    expect(await serve(key)).toContain('secrets in the database are not encrypted yet')
    expect(contentsOf(cli.folder)).toContain(webhookSecret)
    useKeys(key)
    expect(await encrypt()).toEqual([`encrypted 2 secrets with the key ${key.split(':')[0]}`])
    expect(contentsOf(cli.folder)).not.toContain(webhookSecret)
    expect(await serve(key)).not.toContain('not encrypted')
  })

  it('replaces the key: the new one in front, then encrypt, then without the old one', async () => {
    const [oldKey, newKey] = [await createKey(), await createKey()]
    useKeys(oldKey)
    await createBot()
    useKeys(newKey, oldKey)
    await encrypt()
    await serve(newKey)
    expect(await serve(oldKey)).toContain(`with the key \\"${newKey.split(':')[0]}\\", which is not in`)
  })

  it('starts a server whose keys do not decrypt the secrets of a bot, and logs which key is missing or wrong', async () => {
    const key = await createKey()
    useKeys(key)
    const bot = await createBot()
    const [id = '', base64 = ''] = key.split(':')
    const without = await serve()
    expect(without).toContain(`with the key \\"${id}\\", which is not in NATTER_ENCRYPTION_KEYS: add it`)
    expect(without).toContain(`"botId":"${bot.id}"`)
    const wrong = `${id}:${(await createKey()).split(':')[1]}`
    expect(await serve(wrong)).toContain(`The key \\"${id}\\" in NATTER_ENCRYPTION_KEYS does not decrypt`)
    useKeys(wrong)
    await expect(encrypt()).rejects.toThrow('does not decrypt')
    const said = [without, await serve(wrong), String(await encrypt().catch(String))]
    expect(said.join()).not.toContain(base64)
    expect(await serve(key)).not.toContain('NATTER_ENCRYPTION_KEYS')
  })

  it('stores no secret unencrypted beside encrypted ones', async () => {
    useKeys(await createKey())
    const { id } = await createBot()
    useKeys()
    await expect(rotate(id, 'events')).rejects.toThrow(UsageError)
    await expect(createBot()).rejects.toThrow(/set NATTER_ENCRYPTION_KEYS as for its server/)
    await expect(encrypt()).rejects.toThrow(/natter secret create-key/)
  })
})

describe('the API key of a bot', () => {
  const file = () => join(cli.folder, 'key.txt')
  const createOpenaiBot = async (): Promise<string> => {
    writeFileSync(file(), 'sk-first\n')
    return (await cli.createBot('--responder', 'openai', '--openai-model', 'm', '--openai-key-file', file())).id
  }
  const update = (id: string, ...args: string[]) => cli.updateBot(id, ...args)
  const responder = async (id: string) => (await cli.storedBot(id))?.responder

  it('is not taken along to another base URL', async () => {
    const id = await createOpenaiBot()
    const elsewhere = ['--openai-base-url', 'https://models.example/v1']
    await expect(update(id, ...elsewhere)).rejects.toThrow(
      /is for https:\/\/api\.openai\.com\/v1\. Give the key for https:\/\/models\.example\/v1 with --openai-key-file/,
    )
    expect(await responder(id)).toMatchObject({ baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-first' })
    writeFileSync(file(), 'sk-second')
    await update(id, ...elsewhere, '--openai-key-file', file())
    expect(await responder(id)).toMatchObject({ baseUrl: 'https://models.example/v1', apiKey: 'sk-second' })
    await update(id, '--openai-base-url', 'https://api.openai.com/v1', '--openai-key-file', 'none')
    expect(await responder(id)).not.toHaveProperty('apiKey')
  })

  it('is encrypted in the database, and shown nowhere', async () => {
    useKeys(await createKey())
    const id = await createOpenaiBot()
    await update(id, '--openai-model', 'other')
    expect(contentsOf(cli.folder).replaceAll(readFileSync(file(), 'latin1'), '')).not.toContain('sk-first')
    const shown = await cli.natter('bot', 'show', id)
    expect(shown).toContain('openai-key-file\tgiven')
    expect(shown.join()).not.toMatch(/sk-|encrypted/)
    writeFileSync(file(), 'sk-two words')
    await expect(update(id, '--openai-key-file', file())).rejects.toThrow(/must be a key/)
    await expect(update(id, '--openai-key-file', file())).rejects.not.toThrow(/sk-two/)
  })
})
