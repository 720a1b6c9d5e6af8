import type { TestPlatform } from './testPlatform.ts'

/** A visitor's message that has not been sent. */
export const message = (): { id: string; text: string } => ({ id: crypto.randomUUID(), text: 'Do you ship to Norway?' })

/** Reads a stream up to a message that is sent after `act`. Throws if the response is no stream. */
export async function streamed(
  platform: TestPlatform,
  bearer: string,
  answer: Promise<Response>,
  act = async () => {},
): Promise<string> {
  const { headers, body } = await answer
  const type = headers.get('content-type')
  if (!type?.includes('text/event-stream')) throw new Error(`Expected a stream, got ${type}`)
  await act()
  const sent = message()
  await platform.call('sendMessage', { bearer, body: sent })
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(sent.id)) text += (await reader?.read())?.value ?? ''
  await reader?.cancel()
  return text
}
