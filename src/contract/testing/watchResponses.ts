import { type IncomingMessage, ServerResponse } from 'node:http'
import { bodyText, createOpenapiValidator, violationMark } from './openapiValidator.ts'

/**
 * Checks every response that Node's servers in this process send from now on against the OpenAPI document. Violations
 * are written to stderr, which the parent process reads.
 */
export function watchResponses(): void {
  const { violations } = createOpenapiValidator()
  const streamed = new WeakSet<ServerResponse>()
  const writtenHeaders = new WeakMap<ServerResponse, Headers>()
  const { prototype } = ServerResponse
  const { writeHead, write, end } = prototype

  // Headers passed to `writeHead` cannot be read afterwards.
  prototype.writeHead = function (this: ServerResponse, ...args: unknown[]): ServerResponse {
    const headers = args.at(-1)
    if (typeof headers === 'object' && headers !== null)
      writtenHeaders.set(this, new Headers(headers as Record<string, string>))
    return Reflect.apply(writeHead, this, args)
  } as typeof writeHead

  prototype.write = function (this: ServerResponse, ...words: unknown[]): boolean {
    streamed.add(this)
    return Reflect.apply(write, this, words)
  } as typeof write

  prototype.end = function (this: ServerResponse, ...words: unknown[]): ServerResponse {
    const [body] = words
    const done = Reflect.apply(end, this, words)
    const { method = '', url = '' } = this.req as IncomingMessage
    const address = `http://natter.test${url}`
    // An invalid URL is refused before there is a path.
    if (!url.startsWith('/') || !URL.canParse(address)) return done
    const headers = writtenHeaders.get(this) ?? new Headers(this.getHeaders() as Record<string, string>)
    const sent = typeof body === 'string' || body instanceof Uint8Array ? body : ''
    const text = streamed.has(this) ? undefined : bodyText(sent, headers)
    for (const breach of violations({ method, url: address, status: this.statusCode, headers, body: text }))
      process.stderr.write(`${violationMark} ${breach}\n`)
    return done
  } as typeof end
}
