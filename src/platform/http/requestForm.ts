import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ProblemError, problem } from '../domain/problem.ts'
import type { Refuse } from './refuse.ts'

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/**
 * Refuses requests that a proxy in front may interpret differently from this server. A path filter, for example, may not
 * normalize `/a/../b` to `/b`.
 */
export const withRequestForm =
  (listener: Listener, refuse: Refuse): Listener =>
  (incoming, outgoing) => {
    const found = findFormProblem(incoming)
    if (!found) return listener(incoming, outgoing)
    const { status, headers, body } = refuse(found, incoming.method)
    // Close the connection: the body, if there is one, is not read.
    outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' })
    outgoing.end(incoming.method === 'HEAD' ? undefined : body)
  }

function findFormProblem({ httpVersion, rawHeaders, url = '/' }: IncomingMessage): ProblemError | null {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return problem('invalid_request', { detail: 'Send one Host header.' })
  if (dotSegment.test(url)) return problem('invalid_request', { detail: 'Send a path without . and .. segments.' })
  return null
}

// URL parsers also treat percent-encoded dots and backslashes in this way. Query and fragment do not matter.
const dotSegment = /^[^?#]*[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i
