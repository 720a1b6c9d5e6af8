import { AnswerError } from './attempts.ts'
import { createCitations } from './citations.ts'
import { createReasoningFilter } from './reasoningFilter.ts'
import type { AnswerPart } from './responder.ts'
import { mediaType, parseJson, readText } from './responseText.ts'
import { readServerSentEvents } from './serverSentEvents.ts'

/** The limit of the bytes of a stream. The turn limits the length of the text. */
const maxBytes = 1024 * 1024

/** The reasons for which a model stops before the end of its reply. */
const cutReasons = new Set<unknown>(['length', 'content_filter'])

/**
 * Reads the reply of a model, as a stream or as one JSON object. Servers differ in all but the text: some send chunks without
 * `choices`, pings, or no reason for the end. So whatever has no text is skipped, and any end is accepted.
 *
 * @param handOverTool The name of the tool by which the model hands the conversation over.
 */
export async function* readModelReply(
  response: Response,
  handOverTool: string,
  onProgress: () => void,
): AsyncGenerator<AnswerPart> {
  const isJson = mediaType(response) === 'application/json'
  const citations = createCitations()
  const reasoning = createReasoningFilter()
  let hasEnded = isJson
  let isCut = false
  let handOver = false
  try {
    for await (const data of readEvents(readText(response, maxBytes, onProgress), isJson)) {
      if (data === '[DONE]') {
        hasEnded = true
        break
      }
      if (data.trim() === '') continue
      const { error, choices } = Object(parseJson(data))
      const { delta, message, finish_reason: finishReason } = Object(Object(choices)[0])
      if (error || finishReason === 'error')
        throw new AnswerError('The endpoint reported an error in the middle of the answer')
      const said = Object(delta ?? message)
      yield* reasoning.add(textOf(said.content) || textOf(said.refusal))
      citations.add(said)
      if (Array.isArray(said.tool_calls) && said.tool_calls.some((call: unknown) => isCallOf(call, handOverTool)))
        handOver = true
      if (finishReason) hasEnded = true
      if (cutReasons.has(finishReason)) isCut = true
    }
  } catch (error) {
    // The reply is complete: what fails after it must not cost the visitor the answer.
    if (!hasEnded || isJson) throw error
  }
  if (!hasEnded) throw new AnswerError('The answer was cut off', 0)
  yield* reasoning.end()
  if (citations.sources.length > 0) yield { sources: citations.sources }
  if (isCut) yield { isCut }
  if (handOver) yield { handOver }
}

/** The data of each event. Some servers ignore `stream` and send one JSON object. */
async function* readEvents(texts: AsyncIterable<string>, isJson: boolean): AsyncGenerator<string> {
  if (!isJson) {
    yield* readServerSentEvents(texts)
    return
  }
  let json = ''
  for await (const text of texts) json += text
  yield json
}

/** Some models send their content as parts, of which others may be their reasoning. */
const textOf = (content: unknown): string =>
  Array.isArray(content) ? content.map(textOfPart).join('') : typeof content === 'string' ? content : ''

function textOfPart(part: unknown): string {
  const { type, text } = Object(part)
  return typeof text === 'string' && (type === 'text' || type === 'output_text') ? text : ''
}

const isCallOf = (call: unknown, name: string): boolean => Object(Object(call).function).name === name
