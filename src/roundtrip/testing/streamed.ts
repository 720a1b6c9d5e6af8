import { expect } from 'vitest'
import { type ReceivedEvent, readEvents } from '../../platform/testing/testTenants.ts'
import type { TestPlatform } from './testPlatform.ts'

/** A visitor's message that has not been sent. */
export const message = (): { id: string; text: string } => ({ id: crypto.randomUUID(), text: 'Do you ship to Norway?' })

/** The events of a stream up to a message that is sent after `act`. */
export async function streamed(
  platform: TestPlatform,
  bearer: string,
  answer: Promise<Response>,
  act = async () => {},
): Promise<ReceivedEvent[]> {
  const response = await answer
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const reader = readEvents(response)
  await act()
  const sent = message()
  await platform.call('sendMessage', { bearer, body: sent })
  const events: ReceivedEvent[] = []
  while (events.at(-1)?.data['id'] !== sent.id) {
    const event = await reader.next()
    if (!event) throw new Error('The stream has ended')
    events.push(event)
  }
  await reader.cancel()
  return events
}
