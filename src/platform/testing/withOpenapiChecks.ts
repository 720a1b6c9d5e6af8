import { bodyText, createOpenapiValidator, type OpenapiValidator } from '../../contract/testing/openapiValidator.ts'
import type { Platform } from '../platform.ts'

let shared: OpenapiValidator | undefined

/** The agreement of this version's document with its answers; made once, since compiling it takes its time. */
export const openapiValidator = (): OpenapiValidator => {
  shared ??= createOpenapiValidator()
  return shared
}

/**
 * The platform with each of its answers held against the OpenAPI document. One that breaks it fails the request, and
 * the end of the platform as well, for a test may not look at what it gets.
 */
export function withOpenapiChecks(platform: Platform): Platform {
  const violations: string[] = []
  return {
    ...platform,
    async fetch(request, connection = {}) {
      const response = await platform.fetch(request, connection)
      const { status, headers } = response
      // It has been written to the connection.
      if (headers.has('x-hono-already-sent')) return response
      const isStream = headers.get('content-type') === 'text/event-stream'
      const bytes = isStream || !response.body ? null : new Uint8Array(await response.arrayBuffer())
      const found = openapiValidator().violations({
        ...{ method: request.method, url: request.url, status, headers },
        body: isStream ? undefined : bodyText(bytes, headers),
      })
      violations.push(...found)
      if (found.length > 0) throw disagreement(found)
      return isStream ? response : new Response(bytes, { status, headers })
    },
    async close() {
      await platform.close()
      if (violations.length > 0) throw disagreement(violations)
    },
  }
}

const disagreement = (violations: string[]): Error =>
  new Error(`What the platform answered is not what its OpenAPI document says:\n${violations.join('\n')}`)
