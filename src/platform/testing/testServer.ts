import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { onTestFinished, TestRunner } from 'vitest'
import { type LocalServer, startLocalServer } from '../../testServer.ts'

/** A complete request that an endpoint has received. */
export interface ReceivedRequest {
  method: string
  path: string
  headers: Headers
  body: string
  /** Resolves when the other side has disconnected or has received the whole response. */
  closed: Promise<unknown>
}

/** A real HTTP server on this machine. */
export interface TestServer extends LocalServer {
  requests: ReceivedRequest[]
  /** The request with that number, from 1, as soon as it has arrived. */
  received(number: number): Promise<ReceivedRequest>
}

/** Starts a server. `answer` gets the number of the request, from 1. It closes with the test that has started it. */
export async function startTestServer(
  answer: (response: ServerResponse, request: ReceivedRequest, number: number) => unknown,
): Promise<TestServer> {
  const requests: ReceivedRequest[] = []
  const arrived: PromiseWithResolvers<ReceivedRequest>[] = []
  const arrival = (number: number) => {
    arrived[number] ??= Promise.withResolvers()
    return arrived[number]
  }
  const server = await startLocalServer(async (incoming, response) => {
    const { method = '', url: path = '' } = incoming
    const closed = once(response, 'close')
    const headers = new Headers(incoming.headers as Record<string, string>)
    let body = ''
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk
    const request = { method, path, headers, body, closed }
    const number = requests.push(request)
    arrival(number).resolve(request)
    await answer(response, request, number)
  })
  if (TestRunner.getCurrentTest()) onTestFinished(server.close)
  return { ...server, requests, received: number => arrival(number).promise }
}

/** A secret that signs webhooks. */
export const webhookSecret = `whsec_${Buffer.from('a secret of 24 bytes now').toString('base64')}`
