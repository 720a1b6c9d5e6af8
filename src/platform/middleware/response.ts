import { maxBuffered } from '../realtime/eventStream.ts'
import { isStreamingBody, toReadable } from '../realtime/streamingBody.ts'
import type { HttpResponse } from './requestContext.ts'

/** Converts a response for callers of `fetch`. */
export const toResponse = ({ body, ...init }: Required<HttpResponse>): Response =>
  new Response(isStreamingBody(body) ? toReadable(body, maxBuffered) : body, init)
