import type { Context } from 'hono'
import type { EndpointName } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { type Attachments, maxBytesOf } from '../domain/attachments.ts'
import type { Desk } from '../domain/desk.ts'
import { problem } from '../domain/problem.ts'
import { limitSize, readParts } from '../http/readBody.ts'
import { streamDownload } from '../http/transferAdmission.ts'
import type { Bot, StoredFile, Uploader } from '../store/store.ts'
import type { EndpointContext, Handlers } from './handler.ts'

/** A file of which nothing arrives for so long is refused. */
const silenceMs = 20_000

/** Upload and download of files. */
export function attachmentHandlers(attachments: Attachments, desk: Pick<Desk, 'find'>, clock: Clock) {
  const upload = async (c: Context, bot: Bot, uploader: Uploader): Promise<Response> => {
    const maxBytes = maxBytesOf(bot)
    const declared = c.req.header('content-length')
    const declaredBytes = declared === undefined ? undefined : Number(declared)
    const bytes = readParts(c, { maxBytes: declaredBytes ?? maxBytes, clock, silenceMs })
    try {
      limitSize(c, maxBytes)
      const result = await attachments.upload(bot, uploader, { id: idOf(c), bytes, declaredBytes })
      if (result === 'full') throw full(clock.now())
      return c.json({ data: result.upload }, result.repeated ? 200 : 201)
    } catch (error) {
      // A client that is still sending might not read the response: closing the connection would discard it.
      await drain(bytes)
      throw error
    }
  }

  /** `nonce`: that of a request by `POST`, whose response no service worker can store. */
  const download = async (c: Context, reader: Uploader, nonce?: string): Promise<Response> => {
    const file = await attachments.find(reader, idOf(c))
    // A site's service worker may store answers to GET despite `no-store`. `Cache.put` rejects those that vary by `*`.
    // Chromium sees this only if the page may read the header.
    const [header, value] = nonce === undefined ? ['vary', '*'] : ['natter-nonce', nonce]
    c.header(header, value, { append: true })
    c.header('access-control-expose-headers', header, { append: true })
    const headers = headersOf(file)
    // Nobody would read or cancel the body.
    if (c.req.method === 'HEAD') return c.body(null, 200, headers)
    return c.body(streamDownload(c, attachments.read(reader, file), clock), 200, headers)
  }

  /** The bot, and the organization as the owner of what a member uploads. */
  const ofMember = async (c: EndpointContext<'uploadMemberFile'> | EndpointContext<'downloadMemberFile'>) => {
    const conversationId = c.req.param('conversationId') ?? ''
    const { bot, scope } = await desk.find(c.get('member'), conversationId)
    return { bot, uploader: { scope, conversationId } }
  }

  return {
    uploadAttachment: c => upload(c, c.get('bot'), { sessionHash: c.get('session').hash }),
    downloadAttachment: c => download(c, { sessionHash: c.get('session').hash }),
    downloadAttachmentWithNonce: c => download(c, { sessionHash: c.get('session').hash }, c.get('body').nonce),
    deleteAttachment: c => attachments.delete({ sessionHash: c.get('session').hash }, idOf(c)),
    uploadConversationAttachment: c => upload(c, c.get('bot'), organizationOf(c)),
    downloadConversationAttachment: c => download(c, organizationOf(c)),
    deleteConversationAttachment: c => attachments.delete(organizationOf(c), idOf(c)),
    async uploadMemberFile(c) {
      const { bot, uploader } = await ofMember(c)
      return upload(c, bot, uploader)
    },
    async downloadMemberFile(c) {
      const response = await download(c, (await ofMember(c)).uploader)
      // Only pages of the desk itself may show it: a cookie admits every request of the browser.
      response.headers.set('cross-origin-resource-policy', 'same-origin')
      return response
    },
  } satisfies Partial<Handlers>
}

const idOf = (c: Context): string => (c.req.param('attachmentId') ?? '').toLowerCase()

const organizationOf = (c: EndpointContext<Extract<EndpointName, `${string}ConversationAttachment`>>) => ({
  scope: c.get('scope'),
  conversationId: c.req.param('conversationId') ?? '',
})

async function drain(bytes: AsyncGenerator<Uint8Array, void>): Promise<void> {
  try {
    for await (const _ of bytes);
  } catch {
    // The first error is the one to respond with.
  }
}

/** Tells browsers to save the file, whatever it contains, and to run nothing in it. */
const headersOf = ({ upload: { id, type, size }, name = id }: StoredFile): Record<string, string> => ({
  'content-type': type === 'text/plain' ? 'text/plain; charset=utf-8' : type,
  'content-length': String(size),
  'content-disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cache-control': 'private, no-store, no-transform',
  'cross-origin-resource-policy': 'cross-origin',
})

/** Percent-encodes a name for a header (RFC 8187). */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** The limits of a day begin anew at midnight (UTC). */
function full(now: number) {
  const dayMs = 24 * 60 * 60 * 1000
  const seconds = Math.ceil((dayMs - (now % dayMs)) / 1000)
  const detail = 'The files of this day (UTC) have reached their limit. Send it tomorrow, or in another way.'
  return problem('rate_limited', { detail, headers: { 'retry-after': String(seconds) } })
}
