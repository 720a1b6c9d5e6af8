import { bodyText, createOpenapiValidator, type OpenapiValidator } from '../../contract/testing/openapiValidator.ts'
import { toResponse } from '../middleware/response.ts'
import type { Platform } from '../platform.ts'
import { isStreamingBody } from '../realtime/streamingBody.ts'

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
  const handle: Platform['handle'] = async (request, connection) => {
    const response = await platform.handle(request, connection)
    const headers = new Headers(response.headers)
    const found = openapiValidator().violations({
      method: request.method,
      url: request.url,
      status: response.status,
      headers,
      body: isStreamingBody(response.body) ? undefined : bodyText(response.body, headers),
    })
    violations.push(...found)
    if (found.length > 0) throw disagreement(found)
    return response
  }
  return {
    ...platform,
    handle,
    async fetch(request, connection = {}) {
      return toResponse(await handle(request, connection))
    },
    async close() {
      await platform.close()
      if (violations.length > 0) throw disagreement(violations)
    },
  }
}

const disagreement = (violations: string[]): Error =>
  new Error(`What the platform answered is not what its OpenAPI document says:\n${violations.join('\n')}`)
