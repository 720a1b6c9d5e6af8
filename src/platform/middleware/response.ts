import { maxBuffered } from '../domain/eventStream.ts'
import { isFlow, toReadable } from '../domain/flow.ts'
import type { Answer } from './exchange.ts'

/** An answer as whoever calls the platform in memory takes it. */
export const toResponse = ({ body, ...init }: Required<Answer>): Response =>
  new Response(isFlow(body) ? toReadable(body, maxBuffered) : body, init)
