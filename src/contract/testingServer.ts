import { type IncomingMessage, ServerResponse } from 'node:http'
import { isMainThread } from 'node:worker_threads'

// Imported by Node before a server that is under test (`node --import`): holds every answer that leaves this process
// against the OpenAPI document. What breaks it is told on the standard error, where whoever started the server looks.

// The workers of a store import it too, and answer nobody.
if (isMainThread) {
  const { breachMark, createAgreement } = await import('./testingAgreement.ts')
  const { breaches } = createAgreement()
  watch(found => {
    for (const breach of breaches(found)) process.stderr.write(`${breachMark} ${breach}\n`)
  })
}

/** Tells of every answer that Node's server sends; of a stream without what it says. */
function watch(
  onAnswer: (answer: {
    method: string
    url: string
    status: number
    headers: Headers
    body: string | undefined
  }) => void,
): void {
  const streamed = new WeakSet<ServerResponse>()
  const given = new WeakMap<ServerResponse, Headers>()
  const { prototype } = ServerResponse
  const { writeHead, write, end } = prototype

  // Headers that are handed to `writeHead` can't be asked for afterwards.
  prototype.writeHead = function (this: ServerResponse, ...words: unknown[]): ServerResponse {
    const headers = words.at(-1)
    if (typeof headers === 'object' && headers !== null) given.set(this, new Headers(headers as Record<string, string>))
    return Reflect.apply(writeHead, this, words)
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
    // What is no address at all is refused before there is a path.
    if (!url.startsWith('/') || !URL.canParse(address)) return done
    const text = typeof body === 'string' || body instanceof Uint8Array ? Buffer.from(body).toString() : ''
    onAnswer({
      method,
      url: address,
      status: this.statusCode,
      headers: given.get(this) ?? new Headers(this.getHeaders() as Record<string, string>),
      body: streamed.has(this) ? undefined : text,
    })
    return done
  } as typeof end
}
