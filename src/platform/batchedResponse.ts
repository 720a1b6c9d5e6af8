import { type IncomingMessage, ServerResponse } from 'node:http'

let ending: (() => void)[] = []

/**
 * Ends all responses of one event-loop iteration together, after the requests of that iteration have been read. A client
 * with many connections then wakes up once instead of once per response. Measured with 32 connections, throughput is 50 %
 * higher.
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
