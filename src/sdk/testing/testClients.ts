import type { ServerResponse } from 'node:http'
import { vi } from 'vitest'
import { createDevelopmentPlatform } from '../../platform/testing/developmentPlatform.ts'
import { type ReceivedRequest, startTestServer } from '../../platform/testing/testServer.ts'
import { type ClientOptions, createClient, type NatterClient } from '../client.ts'

/** A token of the right form that no platform has issued. */
export const unknownToken = `o_${'x'.repeat(43)}`

/** Valid options. There is no server at this address. */
export const options = { baseUrl: 'https://chat.example', organizationToken: unknownToken, botId: 'bot-1' }

/** A client on a real platform in memory. */
export async function startInMemory(options: { rateLimit?: number } = {}) {
  const { platform, botId, organizationToken, close } = await createDevelopmentPlatform(options)
  const fetch = async (request: Request) => platform.fetch(request)
  const clientWith = (more: Partial<ClientOptions>) =>
    createClient({ baseUrl: 'http://platform.example', botId, organizationToken, fetch, ...more })
  return { client: clientWith({}), clientWith, fetch, organizationToken, botId, close }
}

/** What a server does with a request. */
export type Responder = (outgoing: ServerResponse, request: ReceivedRequest) => void

/**
 * A client of a real server that answers its requests with these responses in order, and repeats the last one. `sent` are
 * its requests.
 */
export async function scriptedServer(...answers: Responder[]): Promise<{
  client: NatterClient
  clientWith(options: Partial<ClientOptions>): NatterClient
  sent: ReceivedRequest[]
}> {
  const { url, requests } = await startTestServer((outgoing, request, number) =>
    (answers[number - 1] ?? answers.at(-1))?.(outgoing, request),
  )
  const clientWith = (more: Partial<ClientOptions>) => createClient({ ...options, baseUrl: url, ...more })
  return { client: clientWith({}), clientWith, sent: requests }
}

/** Answers with JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Responder =>
  outgoing =>
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** Refuses as the platform does. */
export const refuse = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  more: object = {},
): Responder =>
  json(
    status,
    { type: 'about:blank', title: 'No', status, code, detail: 'No.', instance: 'urn:natter:request:r-1', ...more },
    { 'content-type': 'application/problem+json', ...headers },
  )

/** Runs a call with timers that are ten times as fast, so that a test need not wait for the pauses between attempts. */
export async function withFastTimers<Result>(call: () => Promise<Result>): Promise<Result> {
  const { setTimeout } = globalThis
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    let isSettled = false
    const settle = () => {
      isSettled = true
    }
    const result = call()
    result.then(settle, settle)
    while (!isSettled) {
      await new Promise<void>(done => setTimeout(done, 1))
      vi.advanceTimersByTime(10)
    }
    return await result
  } finally {
    vi.useRealTimers()
  }
}

/** The error that a promise rejects with; `undefined` if it resolves. */
export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    error => error,
  )
