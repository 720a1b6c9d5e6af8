import { turnPieceSchema, turnReplySchema, validate } from '../../contract/index.ts'
import { AnswerError } from './attempts.ts'
import type { AnswerPart } from './responder.ts'
import { readServerSentEvents } from './serverSentEvents.ts'

/** The longest reply. */
const maxReplyBytes = 64 * 1024
/** The limit of the bytes of a stream. The turn limits the length of the text. */
const maxStreamBytes = 1024 * 1024

/** Reads a webhook's reply in any of the supported content types. */
export function readReply(response: Response, onProgress: () => void): AsyncIterable<AnswerPart> {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const texts = (maxBytes: number) => decoded(chunksOf(response, maxBytes, onProgress))
  if (type === 'application/json') return readWhole(texts(maxReplyBytes))
  if (type === 'text/plain') return readPlain(texts(maxReplyBytes))
  if (type === 'text/event-stream') return readPieces(texts(maxStreamBytes))
  response.body?.cancel().catch(() => {})
  throw new AnswerError('The content type of the answer must be application/json, text/plain or text/event-stream')
}

async function* readWhole(texts: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  let json = ''
  for await (const text of texts) json += text
  const { text, format, quickReplies, sources, handOver } = parse(turnReplySchema, json)
  yield { format }
  yield { text }
  yield { quickReplies }
  if (sources !== undefined) yield { sources }
  if (handOver) yield { handOver }
}

async function* readPlain(texts: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  for await (const text of texts) if (text) yield { text }
}

async function* readPieces(texts: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  for await (const data of readServerSentEvents(texts)) {
    if (data === '[DONE]') return
    const { text, format, quickReplies, sources, handOver } = parse(turnPieceSchema, data)
    if (format) yield { format }
    if (text) yield { text }
    if (quickReplies) yield { quickReplies }
    if (sources !== undefined) yield { sources }
    if (handOver) yield { handOver }
  }
  throw new AnswerError('The answer ended without [DONE]')
}

/** Parses a reply, except for its sources: a bad source must not cost the visitor the answer. */
function parse<Schema extends typeof turnReplySchema | typeof turnPieceSchema>(schema: Schema, json: string) {
  const { sources, ...reply } = Object(parseJson(json)) as { sources?: unknown }
  const checked = validate(schema, reply)
  if ('output' in checked) return { ...checked.output, sources }
  // Log where and why, but not the content.
  const problems = checked.errors.map(({ pointer, detail }) => `${pointer || '/'} ${detail}`)
  throw new AnswerError(`The answer does not match its schema: ${problems.slice(0, 3).join(' ')}`)
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new AnswerError('The answer contains invalid JSON')
  }
}

async function* chunksOf(
  { body }: Response,
  maxBytes: number,
  onProgress: () => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (!body) return
  const reader = body.getReader()
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onProgress()
      size += value.length
      if (size > maxBytes) throw new AnswerError(`The answer is longer than ${maxBytes / 1024} KiB`)
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** Decodes UTF-8; a character may be split over two chunks. */
async function* decoded(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Uint8Array<ArrayBuffer>): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new AnswerError('The answer is not in UTF-8')
    }
  }
  for await (const chunk of chunks) yield decode(chunk)
  yield decode()
}
