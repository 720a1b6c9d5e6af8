import { bodyText, createOpenapiValidator, type OpenapiValidator } from '../../contract/testing/openapiValidator.ts'
import type { Platform } from '../platform.ts'

let shared: OpenapiValidator | undefined

/** Compares responses with this version's OpenAPI document. Created once, because compiling it is slow. */
export const openapiValidator = (): OpenapiValidator => {
  shared ??= createOpenapiValidator()
  return shared
}

/**
 * A platform that checks each of its responses against the OpenAPI document. A violation fails the request and also the
 * end of the platform, because a test might ignore the response.
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
      let bytes: Uint8Array<ArrayBuffer> | null
      try {
        bytes = isStream || !response.body ? null : new Uint8Array(await response.arrayBuffer())
      } catch (error) {
        // For example a file that was erased while it was being read. The reader of the body gets the error.
        return new Response(failingBody(error), { status, headers })
      }
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

const failingBody = (error: unknown): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: controller => controller.error(error) })

const disagreement = (violations: string[]): Error =>
  new Error(`What the platform answered is not what its OpenAPI document says:\n${violations.join('\n')}`)
