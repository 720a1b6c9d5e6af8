import { expect } from 'vitest'
import { type Identity, type NatterClient, type TokenHandlerOptions, tokenHandler } from '../index.ts'

export const url = 'https://shop.example/chat-token'
export const sameOrigin = { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' }

/** The request of a widget that shows this contact and has a token in this state. */
export const shows = (contact: string | null, token: string): string => JSON.stringify({ contact, token })
/** The request of a widget without a contact. */
export const nobody: string = shows(null, 'none')

interface Asked {
  client: NatterClient
  identify: () => unknown
  headers?: Record<string, string>
  method?: string
  body?: string
  allowedOrigins?: TokenHandlerOptions['allowedOrigins']
}

/** Calls a handler. Resolves to its response and to the errors that `onError` got. */
export async function askTokenHandler(asked: Asked): Promise<{
  response: Response
  text: string
  body: { data: Record<string, string> }
  errors: unknown[]
}> {
  const { client, identify, headers = sameOrigin, method = 'POST', body = nobody, allowedOrigins } = asked
  const errors: unknown[] = []
  const handler = tokenHandler({
    client,
    identify: () => identify() as Identity | null,
    allowedOrigins,
    onError: error => errors.push(error),
  })
  const response = await handler(new Request(url, { method, headers, ...(method !== 'GET' && { body }) }))
  const text = await response.text()
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('vary')).toBe('Origin')
  return { response, text, body: JSON.parse(text || 'null'), errors }
}
