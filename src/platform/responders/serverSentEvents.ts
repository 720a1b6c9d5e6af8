import { createParser } from 'eventsource-parser'

/** Reads the data of each event of a `text/event-stream` that arrives in arbitrary pieces. A field `error` is read as `{"error":true}`. */
export async function* readServerSentEvents(texts: AsyncIterable<string>): AsyncGenerator<string> {
  const events: string[] = []
  const parser = createParser({
    onEvent: ({ data }) => void events.push(data),
    // Before September 2025, llama.cpp reported an error in a field of that name, and ended the stream as usual.
    onError: ({ field }) => void (field === 'error' && events.push('{"error":true}')),
  })
  for await (const text of texts) {
    parser.feed(text)
    yield* events.splice(0)
  }
  // The last event need not be followed by an empty line.
  parser.feed('\n\n')
  yield* events
}
