import { prepareDevelopment } from '../development.ts'
import { createPlatform, type Platform, type PlatformOptions } from '../platform.ts'
import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import type { Store } from '../store/store.ts'
import { withOpenapiChecks } from './withOpenapiChecks.ts'

/** A platform in memory with the bot of `natter serve --dev`. */
export interface DevelopmentPlatform {
  platform: Platform
  store: Store
  botId: string
  organizationToken: string
  close(): Promise<void>
}

export async function createDevelopmentPlatform(options: Partial<PlatformOptions> = {}): Promise<DevelopmentPlatform> {
  const store = await createSqliteStore({ file: ':memory:' })
  const { botId, organizationToken } = await prepareDevelopment(store)
  const platform = withOpenapiChecks(createPlatform({ store, ...options }))
  return {
    ...{ platform, store, botId, organizationToken },
    async close() {
      await platform.close()
      await store.close()
    },
  }
}
