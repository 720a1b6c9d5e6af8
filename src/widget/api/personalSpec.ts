import type { MessageListRequest, NonceRequest } from '../../contract/index.ts'
import { randomUuid } from './randomUuid.ts'
import type { RequestSpec } from './requester.ts'

/**
 * The request that reads personal data: what `toData` returns of the response. The method is `POST`, which the page's service
 * worker can't cache. The response must contain the request's nonce: the response to another request may belong to another person.
 */
export function personalSpec<Data>(
  path: string,
  isData: (data: unknown) => data is Data,
  toData: (body: { data?: unknown }) => unknown = ({ data }) => data,
  toBody: (nonce: string) => NonceRequest | MessageListRequest = nonce => ({ nonce }),
): RequestSpec<Data> {
  let nonce = ''
  return {
    method: 'POST',
    path,
    body() {
      nonce = randomUuid()
      return toBody(nonce)
    },
    async read(response) {
      const body = JSON.parse(await response.text()) as { data?: unknown; nonce?: unknown } | null
      const data = body?.nonce === nonce && toData(body)
      return isData(data) ? { data } : undefined
    },
  }
}
