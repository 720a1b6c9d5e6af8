import { Readable } from 'node:stream'
import type { Connection } from '../http/connection.ts'

/** The connection of a client with this address, which sends this body. */
export const connectionFrom = (address: string, body = ''): Connection => ({
  incoming: Object.assign(Readable.from(body === '' ? [] : [Buffer.from(body)]), {
    headers: body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) },
    socket: { remoteAddress: address },
  }),
})
