import type { Attachment, AttachmentInput, Upload } from '../../contract/index.ts'

interface FakeFile {
  upload: Upload
  bytes: Uint8Array<ArrayBuffer>
  token: string
  isTaken: boolean
}

/** The files of an in-memory platform. */
export function createFakeFiles() {
  const stored = new Map<string, FakeFile>()
  return {
    stored,
    /** Stores a file. Returns a problem's status and code if it is refused. */
    async put(token: string, id: string, body: Blob): Promise<Upload | { status: number; code: string }> {
      const bytes = new Uint8Array(await body.arrayBuffer())
      const before = stored.get(id)
      if (before && before.token !== token) return { status: 409, code: 'id_reused' }
      const info = before?.upload ?? inspect(bytes)
      if (!info) return { status: 415, code: 'file_refused' }
      const upload = { id, size: bytes.length, ...info }
      stored.set(id, { upload, bytes, token, isTaken: before?.isTaken ?? false })
      return upload
    },
    /** Deletes an upload of the sender that no message has. Returns whether there was one. */
    remove(token: string, id: string): boolean {
      const file = stored.get(id)
      return file?.token === token && !file.isTaken && stored.delete(id)
    },
    /** Gives the sender's uploads to a message. Returns `undefined` if one of them does not exist. */
    take(token: string, files: AttachmentInput[]): Attachment[] | undefined {
      const found = files.map(({ id }) => stored.get(id))
      if (found.some(file => file?.token !== token || file.isTaken)) return undefined
      return files.map(({ id, name }) => {
        const file = stored.get(id) as FakeFile
        file.isTaken = true
        return { ...file.upload, name }
      })
    },
    /** Adds a file, as an agent does. */
    add(id: string, name: string, bytes: Uint8Array<ArrayBuffer>): Attachment {
      const info = inspect(bytes)
      if (!info) throw new TypeError('The platform refuses such a file')
      const upload = { id, size: bytes.length, ...info }
      stored.set(id, { upload, bytes, token: '', isTaken: true })
      return { ...upload, name }
    },
  }
}

/** Recognizes PNG, PDF and text. */
function inspect(bytes: Uint8Array): Pick<Upload, 'type' | 'width' | 'height'> | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 8))
  const data = new DataView(bytes.buffer, bytes.byteOffset)
  if (start.startsWith('\x89PNG')) return { type: 'image/png', width: data.getUint32(16), height: data.getUint32(20) }
  if (start.startsWith('%PDF')) return { type: 'application/pdf' }
  return /[<\0]/.test(start) ? undefined : { type: 'text/plain' }
}
