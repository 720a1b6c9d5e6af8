import { fileURLToPath } from 'node:url'
import { startPlatform } from 'natter/platform'
import { listen } from './listen.ts'
import { createShop } from './shop.ts'
import type { ShopOptions } from './shopOptions.ts'

export interface DemoOptions {
  /** The port. Default 0: any free port. */
  port?: number
  /** A running platform. By default the demo starts its own. */
  platform?: ShopOptions | undefined
  /** The database of the demo's own platform. Default `:memory:`. */
  database?: string | undefined
}

export interface Demo {
  /** The address of the shop. */
  url: string
  /** The address of the platform's guides. */
  guides: string
  /** A link with which whoever opens it first may answer at the desk; only if nobody may so far. */
  invitation?: string | undefined
  close(): Promise<void>
}

/** Starts the demo shop, and a platform if none is given. Resolves when both accept requests. */
export async function startDemo({ port = 0, platform, database = ':memory:' }: DemoOptions = {}): Promise<Demo> {
  if (platform) return openShop(platform, port)
  const content = fileURLToPath(new URL('content', import.meta.url))
  const own = await startPlatform({ database, port: 0, dev: true, content })
  try {
    const { baseUrl, botId = '', organizationToken = '', invitationUrl } = own
    const shop = await openShop({ baseUrl, botId, organizationToken }, port, invitationUrl)
    const close = async () => {
      await shop.close()
      await own.close()
    }
    return { ...shop, invitation: invitationUrl, close }
  } catch (error) {
    await own.close()
    throw error
  }
}

/** `desk` is where the team answers. */
const openShop = async (platform: ShopOptions, port: number, desk = `${platform.baseUrl}/desk`): Promise<Demo> => ({
  ...(await listen((await createShop(platform, desk)).fetch, port)),
  guides: `${platform.baseUrl}/docs`,
})

type Environment = Record<string, string | undefined>

/**
 * Reads the platform's settings from the environment. Returns `undefined` if there are none. Throws if some are missing.
 */
export function platformOf(environment: Environment): ShopOptions | undefined {
  const { NATTER_BASE_URL: baseUrl, NATTER_BOT_ID: botId, NATTER_ORGANIZATION_TOKEN: organizationToken } = environment
  if (!baseUrl && !botId && !organizationToken) return undefined
  if (baseUrl && botId && organizationToken) return { baseUrl, botId, organizationToken }
  const names = ['NATTER_BASE_URL', 'NATTER_BOT_ID', 'NATTER_ORGANIZATION_TOKEN']
  const missing = names.filter(name => !environment[name]).join(' and ')
  throw new Error(`Set ${missing} too to use a platform of your own, or none of the three to start one here.`)
}

/** Starts the demo on the port that the environment names. Default: 3000, or any free port if that is taken. */
async function start(environment: Environment): Promise<Demo> {
  const options = { platform: platformOf(environment), database: environment['NATTER_DATABASE'] }
  const { PORT = '' } = environment
  if (!/^\d{0,5}$/.test(PORT) || Number(PORT) > 65_535) throw new Error('PORT must be a number from 0 to 65535.')
  try {
    return await startDemo({ ...options, port: PORT === '' ? 3000 : Number(PORT) })
  } catch (error) {
    const isBusy = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isBusy) throw error
    if (PORT === '') return startDemo(options)
    throw new Error(`Port ${PORT} is in use: choose another with PORT, or leave it out to get a free one.`)
  }
}

if (import.meta.main) {
  try {
    const demo = await start(process.env)
    console.log(`Acme Outfitters, with Natter: ${demo.url}`)
    if (demo.invitation) console.log(`Answer as its team, once with this link, then at /desk: ${demo.invitation}`)
    console.log(`Guides: ${demo.guides}`)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => void demo.close().then(() => process.exit()))
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
