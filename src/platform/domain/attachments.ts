import { createHash, type Hash, randomUUID } from 'node:crypto'
import { maxAttachmentBytes, type Upload } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { cleanFile, type FileInfo } from '../files/cleanFile.ts'
import { type FileProblem, FileProblemError } from '../files/fileProblem.ts'
import type {
  AttachmentStore,
  Bot,
  ConversationStore,
  SessionStore,
  StoredFile,
  UploadAttempt,
  Uploader,
} from '../store/store.ts'
import { isId } from './ids.ts'
import { notFound, problem } from './problem.ts'
import { findEnd } from './sessions.ts'
import { timestamp } from './time.ts'

const mebibyte = 1024 * 1024
export const maxAttachmentMegabytes: number = maxAttachmentBytes / mebibyte
/** MiB of files per day. A contact has one conversation with a bot, so the first is also a contact's limit. */
export const defaultMegabytes = { ofConversation: 50, ofBot: 1000 }
/** The size of a stored part. An upload holds about two of them in memory. */
const partBytes = 256 * 1024

/** The size of the largest file of the bot, in bytes. */
export const maxBytesOf = ({ limits }: Bot): number =>
  Math.min(limits.attachmentMegabytes ?? maxAttachmentMegabytes, maxAttachmentMegabytes) * mebibyte

/** A file that arrives. */
export interface ArrivingFile {
  id: string
  bytes: AsyncIterable<Uint8Array>
  /** The size that the headers declare, if they do. */
  declaredBytes: number | undefined
}

/** Files of visitors and agents. */
export type Attachments = ReturnType<typeof createAttachments>

interface AttachmentsDeps {
  store: AttachmentStore & Pick<ConversationStore, 'findBotConversation'> & Pick<SessionStore, 'findSession'>
  clock: Clock
}

export function createAttachments({ store, clock }: AttachmentsDeps) {
  /** The problem of somebody who may not have a file, or whose session or conversation does not exist any more. */
  const explainMissing = async (uploader: Uploader) =>
    ('sessionHash' in uploader && (await findEnd(store, uploader.sessionHash, clock.now()))) || notFound()

  /** The problem of an uploader whose upload was deleted, replaced by another one, or erased with its conversation. */
  const explainLost = async (uploader: Uploader) => {
    const isOpen =
      'sessionHash' in uploader
        ? !(await findEnd(store, uploader.sessionHash, clock.now()))
        : await store.findBotConversation(uploader.scope, uploader)
    return isOpen ? problem('id_reused', { detail: overtaken }) : explainMissing(uploader)
  }

  async function storeParts(
    uploader: Uploader,
    attempt: UploadAttempt,
    source: AsyncIterable<Uint8Array>,
  ): Promise<Upload> {
    let [size, number] = [0, 0]
    const parts = inParts(cleanFile(source))
    let step = await parts.next()
    for (; !step.done; step = await parts.next()) {
      if (!(await store.appendUpload(attempt, number++, step.value))) throw await explainLost(uploader)
      size += step.value.length
    }
    const { type, size: pixels }: FileInfo = step.value
    return { id: attempt.id, type, size, ...pixels }
  }

  return {
    /**
     * Stores a file. `repeated`: the same file was stored before. Resolves to `full` if it exceeds a limit of the day. If it
     * throws, part of the bytes may be unread.
     */
    async upload(
      bot: Bot,
      uploader: Uploader,
      { id, bytes, declaredBytes }: ArrivingFile,
    ): Promise<{ upload: Upload; repeated: boolean } | 'full'> {
      if (!bot.attachments) throw problem('attachments_off')
      if (!isId(id) || !isPossible(uploader)) throw notFound()
      const attemptId = randomUUID()
      const begun = await store.beginUpload(uploader, {
        id,
        attemptId,
        reservedBytes: declaredBytes ?? maxBytesOf(bot),
        limits: {
          ofConversation: (bot.limits.conversationMegabytesPerDay ?? defaultMegabytes.ofConversation) * mebibyte,
          ofBot: (bot.limits.botMegabytesPerDay ?? defaultMegabytes.ofBot) * mebibyte,
        },
        createdAt: timestamp(clock.now()),
      })
      if (begun === 'full') return begun
      if (begun === 'ended') throw await explainMissing(uploader)
      if (begun === 'taken') throw problem('id_reused')
      const hash = createHash('sha256')
      const source = hashWhileReading(bytes, hash)
      if ('contentHash' in begun) {
        await drain(source)
        if (hash.digest('hex') !== begun.contentHash) throw problem('id_reused')
        return { upload: begun.upload, repeated: true }
      }
      const attempt = { ...begun, id, attemptId }
      try {
        const upload = await storeParts(uploader, attempt, source)
        // Also the bytes after the end of the picture: the next request follows them.
        await drain(source)
        const stored = { upload, contentHash: hash.digest('hex') }
        const result = await store.completeUpload(uploader, attempt, stored, timestamp(clock.now()))
        if (result === 'ended') throw await explainMissing(uploader)
        if (!result) throw await explainLost(uploader)
        return { upload, repeated: false }
      } catch (error) {
        // What this leaves behind is replaced by the next attempt, or purged.
        await store.cancelUpload(attempt).catch(() => {})
        if (!(error instanceof FileProblemError)) throw error
        throw problem('file_refused', { detail: explanations[error.problem] })
      }
    },

    /** Deletes a file of the uploader that no message has. Throws `not_found` otherwise, or the 401 if the session has ended. */
    async delete(uploader: Uploader, id: string): Promise<void> {
      const isPossibleId = isId(id) && isPossible(uploader)
      if (!isPossibleId || !(await store.deleteUpload(uploader, id, timestamp(clock.now()))))
        throw await explainMissing(uploader)
    },

    /** Finds a file that the reader may read. Throws `not_found` otherwise, or the 401 if the session has ended. */
    async find(reader: Uploader, id: string): Promise<StoredFile> {
      const found = isId(id) && isPossible(reader) ? await store.findFile(reader, id, timestamp(clock.now())) : null
      if (!found) throw await explainMissing(reader)
      return found
    },

    /** The bytes of a file, each part when it is asked for. Throws when the reader's session ends meanwhile. */
    async *read(
      reader: Uploader,
      { conversationId, upload: { id, size } }: StoredFile,
    ): AsyncGenerator<Uint8Array, void> {
      let left = size
      for (let number = 0; left > 0; number++) {
        // A slow client reads for minutes, in which the visitor may log out.
        const end = number > 0 && 'sessionHash' in reader && (await findEnd(store, reader.sessionHash, clock.now()))
        if (end) throw new Error('The session ended while the file was being read.')
        const part = await store.readFilePart(conversationId, id, number)
        // It was erased meanwhile. The response ends early, which its declared length shows.
        if (!part) throw new Error('The file was erased while it was being read.')
        left -= part.length
        yield part
      }
    },
  }
}

const isPossible = (uploader: Uploader): boolean => 'sessionHash' in uploader || isId(uploader.conversationId)
const overtaken = 'This upload was deleted, or another one with this id has begun.'

const explanations: Record<FileProblem, string> = {
  unknown_type: 'Send a PNG, JPEG, WebP, GIF, PDF or plain text file.',
  damaged: 'The file is damaged. Save it again, or send another one.',
  too_many_pixels: 'Send a picture of at most 40 megapixels.',
}

/** The same bytes, which also go into a hash. */
async function* hashWhileReading(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array, void> {
  for await (const part of bytes) {
    hash.update(part)
    yield part
  }
}

async function drain(source: AsyncGenerator<Uint8Array, void>): Promise<void> {
  for await (const _ of source);
}

/**
 * Gathers bytes into parts of one size. They are copied, because very many small pieces would take more memory. A part must
 * be used before the next one is asked for.
 */
async function* inParts<Info>(source: AsyncGenerator<Buffer, Info>): AsyncGenerator<Uint8Array, Info> {
  const part = Buffer.allocUnsafeSlow(partBytes)
  let filled = 0
  let step = await source.next()
  for (; !step.done; step = await source.next())
    for (let from = 0; from < step.value.length; ) {
      const copied = step.value.copy(part, filled, from)
      from += copied
      filled += copied
      if (filled < partBytes) continue
      yield part
      filled = 0
    }
  if (filled > 0) yield part.subarray(0, filled)
  return step.value
}
