import { text as readAll } from 'node:stream/consumers'
import { AnswerError } from './attempts.ts'
import { createReasoningFilter } from './reasoningFilter.ts'
import type { AnswerPart } from './responder.ts'
import { mediaType, parseJson, readText } from './responseText.ts'
import { readServerSentEvents } from './serverSentEvents.ts'

/** The limit of the bytes of a stream. The turn limits the length of the text. */
const maxBytes = 1024 * 1024

/** The reasons for which a model stops before the end of its reply. */
const cutReasons = new Set<unknown>(['length', 'content_filter'])

/**
 * Reads the reply of a model, as a stream or, from servers that ignore `stream`, as one JSON object. Servers differ in all
 * but the text: some send chunks without `choices`, pings, or no reason for the end. So whatever has no text is skipped, and
 * any end is accepted.
 *
 * @param handOverTool The name of the tool by which the model hands the conversation over.
 */
export async function* readModelReply(
  response: Response,
  handOverTool: string,
  onProgress: () => void,
): AsyncGenerator<AnswerPart> {
  const isJson = mediaType(response) === 'application/json'
  const texts = readText(response, maxBytes, onProgress)
  const cited = new Map<unknown, unknown>()
  const reasoning = createReasoningFilter()
  let hasEnded = isJson
  let hasThought = false
  let isCut = false
  let handOver = false
  try {
    for await (const data of isJson ? [await readAll(texts)] : readServerSentEvents(texts)) {
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
      if (!hasThought && hasReasoning(said)) {
        hasThought = true
        yield { progress: { thinking: true } }
      }
      yield* reasoning.add(textOf(said.content) || textOf(said.refusal))
      addCitations(cited, said.annotations)
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
  if (cited.size > 0) yield { sources: Array.from(cited, ([url, title]) => ({ title, url })) }
  if (isCut) yield { isCut }
  if (handOver) yield { handOver }
}

/** Adds the pages that a model with web search cites (`url_citation`): the title of each by its address. */
function addCitations(titles: Map<unknown, unknown>, annotations: unknown): void {
  for (const annotation of Array.isArray(annotations) ? annotations : []) {
    const { title, url } = Object(Object(annotation).url_citation)
    if (url !== undefined && !titles.has(url)) titles.set(url, title || url)
  }
}

/** Some models send their content as parts, of which others may be their reasoning. */
const textOf = (content: unknown): string =>
  Array.isArray(content) ? content.map(textOfPart).join('') : typeof content === 'string' ? content : ''

/** Whether a piece has reasoning apart from its text. The names of the fields are those of vLLM, Ollama and OpenRouter. */
const hasReasoning = ({ reasoning, reasoning_content, reasoning_details, content }: Record<string, unknown>): boolean =>
  [reasoning, reasoning_content, reasoning_details].some(each => Object(each).length > 0) ||
  (Array.isArray(content) && content.some(part => Object(part).type === 'thinking'))

function textOfPart(part: unknown): string {
  const { type, text } = Object(part)
  return typeof text === 'string' && (type === 'text' || type === 'output_text') ? text : ''
}

const isCallOf = (call: unknown, name: string): boolean => Object(Object(call).function).name === name
