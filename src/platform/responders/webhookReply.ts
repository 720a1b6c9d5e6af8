import { turnPieceSchema, turnReplySchema, validate } from '../../contract/index.ts'
import { AnswerError } from './attempts.ts'
import type { AnswerPart } from './responder.ts'
import { mediaType, parseJson, readText, withoutNulls } from './responseText.ts'
import { readServerSentEvents } from './serverSentEvents.ts'

/** The longest reply. */
const maxReplyBytes = 64 * 1024
/** The limit of the bytes of a stream. The turn limits the length of the text. */
const maxStreamBytes = 1024 * 1024

/** Reads a webhook's reply in any of the supported content types. */
export function readReply(response: Response, onProgress: () => void): AsyncIterable<AnswerPart> {
  const type = mediaType(response)
  const texts = (maxBytes: number) => readText(response, maxBytes, onProgress)
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

/** Parses a reply, except for its sources: a bad source must not cost the visitor the answer. `null` means absent. */
function parse<Schema extends typeof turnReplySchema | typeof turnPieceSchema>(schema: Schema, json: string) {
  const { sources, ...reply } = Object(withoutNulls(parseJson(json))) as { sources?: unknown }
  const checked = validate(schema, reply)
  if ('output' in checked) return { ...checked.output, sources }
  // Log where and why, but not the content.
  const problems = checked.errors.map(({ pointer, detail }) => `${pointer || '/'} ${detail}`)
  throw new AnswerError(`The answer does not match its schema: ${problems.slice(0, 3).join(' ')}`)
}
