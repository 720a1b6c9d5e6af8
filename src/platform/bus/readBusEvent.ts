import { endReasons, streamEventSchemas } from '../../contract/messages.ts'
import { validate } from '../../contract/validation.ts'
import type { BusEvent } from './bus.ts'

type Known = Record<string, unknown>

const readers: { [Type in BusEvent['type']]: (event: Known) => BusEvent | undefined } = {
  stored: () => ({ type: 'stored' }),
  changed: () => ({ type: 'changed' }),
  joined: () => ({ type: 'joined' }),
  taken_over: () => ({ type: 'taken_over' }),
  handed_over: () => ({ type: 'handed_over' }),
  stopped: ({ replyId }) => (typeof replyId === 'string' ? { type: 'stopped', replyId } : undefined),
  erased: () => ({ type: 'erased' }),
  ended({ hash, reason }) {
    const known = endReasons.find(each => each === reason)
    return typeof hash === 'string' && known ? { type: 'ended', hash, reason: known } : undefined
  },
  ephemeral({ event }) {
    if (!isObject(event)) return undefined
    const name = (['message.delta', 'message.aborted', 'typing', 'read'] as const).find(each => each === event['event'])
    const read = name && validate(streamEventSchemas[name], event['data'])
    if (!read || !('output' in read)) return undefined
    return { type: 'ephemeral', event: { event: name, data: read.output } } as BusEvent
  },
}

/**
 * Parses an event of another node; `undefined` if this version does not know it. Never throws: an error in the listener
 * would silently end the subscription.
 */
export function readBusEvent(text: string): BusEvent | undefined {
  const event = parse(text)
  if (!isObject(event) || typeof event['type'] !== 'string') return undefined
  const { type } = event
  return Object.hasOwn(readers, type) ? readers[type as BusEvent['type']](event) : undefined
}

const isObject = (value: unknown): value is Known => typeof value === 'object' && value !== null

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
