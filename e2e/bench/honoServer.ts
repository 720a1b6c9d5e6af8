import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { createStderrSink } from '../../src/platform/http/log.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import { openStore } from '../../src/platform/store/openStore.ts'

/** The platform's app on Hono's Node server as it comes: what `http/server.ts` adds is measured against it. */
const [file = ''] = process.argv.slice(2)
const store = await openStore(file)
const { fetch } = createPlatform({
  store,
  log: createStderrSink(),
  rateLimit: Number(process.env['NATTER_RATE_LIMIT']),
})
serve({ fetch, hostname: '127.0.0.1', port: 0 }, info => process.send?.((info as AddressInfo).port))
process.on('disconnect', () => process.exit(0))
