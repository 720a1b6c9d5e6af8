import { AnswerError } from './attempts.ts'

/** The media type that a response declares, without its parameters. */
export const mediaType = ({ headers }: Response): string | undefined =>
  headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()

/** Yields the text of a response as it arrives, in the charset that it declares; default UTF-8. */
export async function* readText(
  { headers, body }: Response,
  maxBytes: number,
  onProgress: () => void,
): AsyncGenerator<string> {
  const decode = createDecoder(headers.get('content-type') ?? '')
  let size = 0
  // A loop that is left before its end cancels the body.
  for await (const chunk of body ?? []) {
    onProgress()
    size += chunk.length
    if (size > maxBytes) throw new AnswerError(`The answer is longer than ${maxBytes / 1024} KiB`)
    yield decode(chunk)
  }
  yield decode()
}

/** A character may be split over two chunks. The last call has none. */
function createDecoder(contentType: string): (chunk?: Uint8Array<ArrayBuffer>) => string {
  const charset = /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  let decoder: TextDecoder
  try {
    decoder = new TextDecoder(charset, { fatal: true })
  } catch {
    throw new AnswerError('The answer declares an unknown charset')
  }
  return chunk => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new AnswerError(`The answer is not in ${decoder.encoding.toUpperCase()}`)
    }
  }
}

export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new AnswerError('The answer contains invalid JSON')
  }
}

/** Removes properties that are `null`, at any depth: many languages write absent fields so. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const present = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(present.map(([key, each]) => [key, withoutNulls(each)]))
}
