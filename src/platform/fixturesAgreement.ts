import { type Agreement, bodyText, createAgreement } from '../contract/testingAgreement.ts'
import { isFlow } from './domain/flow.ts'
import { toResponse } from './middleware/response.ts'
import type { Platform } from './platform.ts'

let shared: Agreement | undefined

/** The agreement of this version's document with its answers; made once, since compiling it takes its time. */
export const agreement = (): Agreement => {
  shared ??= createAgreement()
  return shared
}

/**
 * The platform with each of its answers held against the OpenAPI document. One that breaks it fails the request, and
 * the end of the platform as well, for a test may not look at what it gets.
 */
export function agreeing(platform: Platform): Platform {
  const breaches: string[] = []
  const answer: Platform['answer'] = async (request, connection) => {
    const given = await platform.answer(request, connection)
    const headers = new Headers(given.headers)
    const found = agreement().breaches({
      method: request.method,
      url: request.url,
      status: given.status,
      headers,
      body: isFlow(given.body) ? undefined : bodyText(given.body, headers),
    })
    breaches.push(...found)
    if (found.length > 0) throw disagreement(found)
    return given
  }
  return {
    ...platform,
    answer,
    async fetch(request, connection = {}) {
      return toResponse(await answer(request, connection))
    },
    async close() {
      await platform.close()
      if (breaches.length > 0) throw disagreement(breaches)
    },
  }
}

const disagreement = (breaches: string[]): Error =>
  new Error(`What the platform answered is not what its OpenAPI document says:\n${breaches.join('\n')}`)
