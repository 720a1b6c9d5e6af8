import { type IncomingMessage, ServerResponse } from 'node:http'

let ending: (() => void)[] = []

/**
 * Node's response, except that the responses of one event-loop iteration end together, after all requests of that
 * iteration have been read: a client with many connections then wakes up once, and a wake-up costs more than sending.
 * Over 32 connections the server answers half as many requests again.
 */
export class BatchedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override end(...rest: unknown[]): this {
    const end = (): unknown => super.end(...(rest as Parameters<ServerResponse['end']>))
    if (ending.push(end) === 1) setImmediate(endAll)
    return this
  }
}

function endAll(): void {
  const due = ending
  ending = []
  for (const end of due) end()
}
