import * as v from 'valibot'
import { deskEventSchemas, memberSummarySchema } from '../../contract/desk.ts'
import { endReasons, streamEventSchemas } from '../../contract/messages.ts'
import type { BusEvent } from './bus.ts'

const forwarded = <Name extends keyof typeof streamEventSchemas>(name: Name) =>
  v.object({ event: v.literal(name), data: streamEventSchemas[name] })

const busEventSchema: v.GenericSchema<unknown, BusEvent> = v.variant('type', [
  v.object({ type: v.picklist(['stored', 'changed', 'joined', 'taken_over', 'handed_over', 'erased']) }),
  v.object({ type: v.literal('stopped'), replyId: v.string() }),
  v.object({ type: v.literal('conversation'), conversationId: v.string() }),
  v.object({ type: v.literal('typing'), botId: v.string(), typing: deskEventSchemas.typing }),
  v.object({
    type: v.literal('viewing'),
    viewing: v.object({
      viewer: v.string(),
      member: memberSummarySchema,
      conversation: v.nullable(v.object({ id: v.string(), botId: v.string() })),
    }),
  }),
  v.object({ type: v.literal('ended'), hash: v.string(), reason: v.picklist([...endReasons, 'blocked']) }),
  v.object({
    type: v.literal('forward'),
    streamEvent: v.variant('event', [
      forwarded('message.delta'),
      forwarded('message.aborted'),
      forwarded('typing'),
      forwarded('read'),
    ]),
  }),
])

/**
 * Parses an event of another node; `undefined` if this version does not know it. Never throws: an error in the listener
 * would silently end the subscription.
 */
export function readBusEvent(text: string): BusEvent | undefined {
  try {
    return v.parse(busEventSchema, JSON.parse(text))
  } catch {
    return undefined
  }
}
