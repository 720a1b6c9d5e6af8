/** An event of a stream: its JSON, or its lines as they are. */
export type StreamedEvent = object | string

/** A stream of these events. */
export const streamOf = (...events: StreamedEvent[]): string =>
  events.map(event => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}`)).join('\n\n')

export const done = 'data: [DONE]\n\n'
export const meta = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
export const usage = { ...meta, choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }
export const chunk = (delta: unknown, finish: string | null = null) => ({
  ...meta,
  choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
})

/** How a server streams. What is not given is as OpenAI does it. */
interface Dialect {
  begin?: StreamedEvent[]
  /** Reasoning before the text. The tests look for its word "secret". */
  reasoning?: StreamedEvent[]
  text?: (text: string) => StreamedEvent
  /** The deltas of a call of the tool `hand_over_to_person`. */
  call?: object[]
  /** The reason for the end after that call. */
  callReason?: string
  end?: (reason: string) => StreamedEvent[]
  /** What ends the stream instead, in the middle of a text. It contains the word "leaked". */
  failure: StreamedEvent[]
}

const role = 'assistant'
const name = 'hand_over_to_person'
const type = 'function'
const error = { message: 'leaked', type: 'server_error', param: null, code: null }
const filters = { content_filter_results: { hate: { filtered: false, severity: 'safe' } } }
const filtered = (choice: object) => ({ ...meta, choices: [{ index: 0, finish_reason: null, ...filters, ...choice }] })
/** The arguments of a call as they follow its name. */
const rest = ['{', '}'].map(piece => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] }))
/** A call whose arguments come at once. */
const wholeCall = { id: 'call_1', type, function: { name, arguments: '{}' } }
const google = (content: object) => ({ extra_content: { google: content } })

const dialects = {
  OpenAI: {
    begin: [{ ...chunk({ role, content: '', refusal: null }), usage: null, obfuscation: 'x' }],
    failure: [{ error }],
  },
  Azure: {
    begin: [
      { ...meta, id: '', model: '', choices: [], prompt_filter_results: [{ prompt_index: 0, ...filters }] },
      chunk({ role, content: '' }),
    ],
    text: content => filtered({ delta: { content } }),
    end: reason => [filtered({ content_filter_offsets: { end_offset: 9 } }), chunk({}, reason), done],
    failure: [{ error: { ...error, code: 'content_filter' } }],
  },
  Ollama: {
    reasoning: [chunk({ role, content: '', reasoning: 'secret' })],
    text: content => chunk({ role, content }),
    call: [{ role, content: '', tool_calls: [{ index: 0, ...wholeCall }] }],
    end: reason => [chunk({ role, content: '' }, reason), done],
    // Without `data:`.
    failure: [JSON.stringify({ error })],
  },
  vLLM: {
    begin: [chunk({ role, content: '' })],
    reasoning: [chunk({ reasoning_content: 'secret', content: null })],
    text: content => ({ ...usage, ...chunk({ content }) }),
    call: [{ tool_calls: [{ index: 0, id: 'chatcmpl-tool-1', type, function: { name } }] }, ...rest],
    end: reason => [chunk({ content: '' }, reason), usage, done],
    failure: [{ error: { ...error, code: 500 } }, done],
  },
  'llama.cpp': {
    begin: [chunk({ role, content: null })],
    reasoning: [chunk({ reasoning_content: 'secret' })],
    call: [{ tool_calls: [{ index: 0, id: '1', type, function: { name, arguments: '{' } }] }, ...rest.slice(1)],
    end: reason => [{ ...chunk({}, reason), timings: { prompt_n: 9 } }, done],
    failure: [`error: ${JSON.stringify({ code: 500, message: 'leaked' })}`, done],
  },
  OpenRouter: {
    begin: [': OPENROUTER PROCESSING'],
    reasoning: [
      chunk({
        ...{ role, content: '', reasoning: null },
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'secret' }],
      }),
    ],
    text: content => ({ ...chunk({ role, content }), provider: 'P' }),
    call: [
      { role, content: null, tool_calls: [{ index: 0, id: 'call_1', type, function: { name, arguments: '' } }] },
      { role, content: null, tool_calls: [{ index: 0, function: { arguments: '' } }] },
    ],
    end: reason => [chunk({ role, content: '' }, reason), usage, done],
    failure: [{ ...chunk({ content: '' }, 'error'), error: { code: 502, message: 'leaked' } }],
  },
  Gemini: {
    reasoning: [
      chunk({ role, content: '<thought>secret', ...google({ thought: true }) }),
      chunk({ role, content: '</thought>' }),
    ],
    text: content => chunk({ role, content }),
    // Without an index.
    call: [{ role, tool_calls: [{ ...wholeCall, ...google({ thought_signature: 'x' }) }] }],
    callReason: 'stop',
    end: reason => [chunk({ role, ...google({ thought_signature: 'x' }) }, reason), done],
    failure: [{ error: { code: 503, message: 'leaked', status: 'UNAVAILABLE' } }],
  },
  Anthropic: {
    begin: [chunk({ role, content: '' })],
    text: content => ({ ...chunk({ content }), system_fingerprint: null }),
    call: [{ tool_calls: [{ index: 0, id: 'toolu_1', type, function: { name, arguments: '' } }] }, ...rest],
    end: reason => ['event: ping\ndata: {"type": "ping"}', chunk({}, reason), done],
    failure: ['event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"leaked"}}'],
  },
  Mistral: {
    reasoning: [chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'secret' }] }] })],
    text: text => chunk({ content: [{ type: 'text', text }] }),
    call: [{ content: '', tool_calls: [{ index: 0, ...wholeCall }] }],
    failure: [],
  },
} satisfies Record<string, Dialect>

/** The streams of one server. */
export interface ModelServer {
  /** Reasoning if it has a dialect for it, then "It is free [2].". */
  answer: string
  /** Reasoning, then "One moment.", then the call of the tool. */
  handover: string
  /** Reasoning, then a text that is not finished. */
  failure: string
  /** Whether its streams have reasoning. */
  hasReasoning: boolean
}

function streamsOf({ begin = [], reasoning = [], ...dialect }: Dialect): ModelServer {
  const { text = content => chunk({ content }), callReason = 'tool_calls', failure } = dialect
  const {
    call = [
      { role, content: null, tool_calls: [{ index: 0, ...wholeCall, function: { name, arguments: '' } }] },
      ...rest,
    ],
  } = dialect
  const { end = reason => [chunk({}, reason), usage, done] } = dialect
  const stream = (...events: StreamedEvent[]) => streamOf(...begin, ...reasoning, ...events)
  return {
    answer: stream(...['It is ', 'free [', '2].'].map(text), ...end('stop')),
    handover: stream(text('One '), text('moment.'), ...call.map(delta => chunk(delta)), ...end(callReason)),
    failure: stream(text('leaked'), ...failure),
    hasReasoning: reasoning.length > 0,
  }
}

/** What well-known servers stream, by their names. */
export const modelServers: [name: string, server: ModelServer][] = Object.entries<Dialect>(dialects).map(
  ([name, dialect]) => [name, streamsOf(dialect)],
)
