import { openapi } from '../../contract/index.ts'
import type { Answer } from '../middleware/exchange.ts'
import type { Store } from '../store/store.ts'
import { jsonAnswer } from './answer.ts'
import { cacheable } from './cacheable.ts'

/** What the people who run the platform ask it. */
export function operationRoutes(
  store: Store,
  version: string,
): { health(): Promise<Answer>; openapi(request: Request): Promise<Answer> } {
  const document = JSON.stringify(openapi(version))
  return {
    async health() {
      await store.ping()
      return jsonAnswer(200, { data: { status: 'ok', version } })
    },
    openapi: request =>
      cacheable(request, document, { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' }),
  }
}
