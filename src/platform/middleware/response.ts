import { maxBuffered } from '../realtime/eventStream.ts'
import { isStreamingBody, toReadable } from '../realtime/streamingBody.ts'
import type { HttpResponse } from './requestContext.ts'

/** An answer as whoever calls the platform in memory takes it. */
export const toResponse = ({ body, ...init }: Required<HttpResponse>): Response =>
  new Response(isStreamingBody(body) ? toReadable(body, maxBuffered) : body, init)
