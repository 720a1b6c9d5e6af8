import { openapi } from '../../contract/index.ts'
import type { Store } from '../store/store.ts'
import { cacheable } from './cacheable.ts'

/** What the people who run the platform ask it. */
export function operationRoutes(
  store: Store,
  version: string,
): { health(): Promise<Response>; openapi(request: Request): Promise<Response> } {
  const document = JSON.stringify(openapi(version))
  return {
    async health() {
      await store.ping()
      return Response.json({ data: { status: 'ok', version } })
    },
    openapi: request =>
      cacheable(request, document, { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' }),
  }
}
