import type { NonceRequest, Upload } from '../../contract/index.ts'
import { isUpload } from './guards.ts'
import { randomUuid } from './randomUuid.ts'
import type { Credentials, Requester, StopCondition } from './requester.ts'

export type AttachmentApi = ReturnType<typeof createAttachmentApi>

interface UploadedFile {
  id: string
  blob: Blob
  onProgress(sent: number): void
  onUnreadable(): void
}

/** Sends a file as the body of a request. `onProgress` is called with the part that has been sent, from 0 to 1. */
export type SendBlob = (
  url: string,
  init: RequestInit,
  blob: Blob,
  onProgress: (sent: number) => void,
) => Promise<Response>

/**
 * The endpoints for files. Like the other ones they are retried, and resolve to `undefined` on failure. `send` replaces
 * `XMLHttpRequest` in tests.
 */
export const createAttachmentApi = (request: Requester, send: SendBlob = sendByXhr) => ({
  /** `onProgress` is called as by `SendBlob`, `onUnreadable` if the browser can't read the file. */
  upload: (
    credentials: Credentials,
    shouldStopRetrying: StopCondition,
    { id, blob, onProgress, onUnreadable }: UploadedFile,
  ): Promise<Upload | undefined> =>
    request(
      credentials,
      {
        method: 'PUT',
        path: `/attachments/${id}`,
        async send(url, init, keepAlive) {
          const onSent = (sent: number) => {
            keepAlive()
            onProgress(sent)
          }
          try {
            return await send(url, init, blob, onSent)
          } catch (error) {
            // The error doesn't say whether it was the network or the file.
            if (!(await isReadable(blob))) onUnreadable()
            throw error
          }
        },
        async read(response) {
          const data = (JSON.parse(await response.text()) as { data?: unknown } | null)?.data
          return isUpload(data) ? { data } : undefined
        },
      },
      shouldStopRetrying,
    ),
  /** Deletes an upload that no message has. It is tried once, because the platform deletes it later anyway. */
  remove: (credentials: Credentials, id: string) =>
    request(
      credentials,
      { method: 'DELETE', path: `/attachments/${id}`, keepalive: true, read: async () => ({ data: null }) },
      () => true,
    ),
  /**
   * Downloads a file of `size` bytes, by `POST` and with a nonce for the same reasons as other personal reads. The result
   * has no type, so nothing opens it.
   */
  download(
    credentials: Credentials,
    shouldStopRetrying: StopCondition,
    { id, size }: { id: string; size: number },
  ): Promise<Blob | undefined> {
    let nonce = ''
    return request(
      credentials,
      {
        method: 'POST',
        path: `/attachments/${id}/download`,
        body(): NonceRequest {
          nonce = randomUuid()
          return { nonce }
        },
        async read(response, { keepAlive }) {
          if (response.headers.get('natter-nonce') !== nonce) return undefined
          const blob = await readBlob(response, size, keepAlive)
          return blob && { data: blob }
        },
      },
      shouldStopRetrying,
    )
  },
})

/** Unlike `fetch`, `XMLHttpRequest` knows how much has been sent. */
const sendByXhr: SendBlob = (url, { method = '', headers, signal }, blob, onProgress) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    // As in `environment.fetch`: the page's `<base href>` is not for our paths.
    request.open(method, new URL(url, location.href).href)
    for (const [name, value] of Object.entries(headers as Record<string, string>)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => onProgress(loaded / blob.size)
    request.onload = () => {
      const received = new Headers()
      for (const name of ['content-type', 'retry-after']) {
        const value = request.getResponseHeader(name)
        if (value) received.set(name, value)
      }
      resolve(new Response(request.responseText || null, { status: request.status, headers: received }))
    }
    request.onerror = request.onabort = () => reject(new TypeError('Natter: the upload has failed'))
    signal?.addEventListener('abort', () => request.abort())
    request.send(blob)
  })

/** A file that has been deleted or changed on the disk can't be read, nor can a folder. */
const isReadable = (blob: Blob): Promise<boolean> =>
  blob
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

/** Resolves to `undefined` if the response has another size. It never holds more than that in memory. */
async function readBlob(response: Response, size: number, keepAlive: () => void): Promise<Blob | undefined> {
  const reader = response.body?.getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let received = 0
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    parts.push(part.value)
    received += part.value.length
    if (received > size) {
      void reader?.cancel()
      break
    }
    keepAlive()
  }
  return received === size ? new Blob(parts) : undefined
}
