import { text as readAll } from 'node:stream/consumers'
import { maxStatusLength, type TurnPiece, turnPieceSchema, turnReplySchema, validate } from '../../contract/index.ts'
import { AnswerError } from './attempts.ts'
import type { AnswerPart } from './responder.ts'
import { mediaType, parseJson, readText, withoutNulls } from './responseText.ts'
import { readServerSentEvents } from './serverSentEvents.ts'

/** The longest reply. */
const maxReplyBytes = 64 * 1024
/** The limit of the bytes of a stream. The turn limits the length of the text. */
const maxStreamBytes = 1024 * 1024

/** Reads a webhook's reply in any of the supported content types. */
export async function* readReply(response: Response, onProgress: () => void): AsyncGenerator<AnswerPart> {
  const texts = (maxBytes: number) => readText(response, maxBytes, onProgress)
  switch (mediaType(response)) {
    case 'application/json':
      yield* parse(turnReplySchema, await readAll(texts(maxReplyBytes)))
      return
    case 'text/plain':
      for await (const text of texts(maxReplyBytes)) yield { text }
      return
    case 'text/event-stream':
      yield* readPieces(texts(maxStreamBytes))
      return
  }
  response.body?.cancel().catch(() => {})
  throw new AnswerError('The content type of the answer must be application/json, text/plain or text/event-stream')
}

async function* readPieces(texts: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  for await (const data of readServerSentEvents(texts)) {
    if (data === '[DONE]') return
    yield* parse(turnPieceSchema, data)
  }
  throw new AnswerError('The answer ended without [DONE]')
}

/** Parses a reply, except for its sources: a bad source must not cost the visitor the answer. `null` means absent. */
function* parse(schema: typeof turnReplySchema | typeof turnPieceSchema, json: string): Generator<AnswerPart> {
  const { sources, ...reply } = Object(withoutNulls(parseJson(json))) as { sources?: unknown }
  const checked = validate(schema, reply)
  if ('errors' in checked) {
    // Log where and why, but not the content.
    const problems = checked.errors.map(({ pointer, detail }) => `${pointer || '/'} ${detail}`)
    throw new AnswerError(`The answer does not match its schema: ${problems.slice(0, 3).join(' ')}`)
  }
  const { text, format, quickReplies, handOver, status }: TurnPiece = checked.output
  if (status !== undefined) yield { progress: { status: [...status].slice(0, maxStatusLength).join('') } }
  if (format) yield { format }
  if (text) yield { text }
  if (quickReplies) yield { quickReplies }
  if (sources !== undefined) yield { sources }
  if (handOver) yield { handOver }
}
