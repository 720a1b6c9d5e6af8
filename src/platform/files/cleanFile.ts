import type { AttachmentType } from '../../contract/index.ts'
import { type ByteReader, createByteReader } from './byteReader.ts'
import { cleanGif } from './gif.ts'
import { cleanJpeg } from './jpeg.ts'
import type { PictureSize } from './pictureSize.ts'
import { cleanPng } from './png.ts'
import { cleanText, isMarkup } from './text.ts'
import { cleanWebp } from './webp.ts'

export interface FileInfo {
  type: AttachmentType
  /** Only of pictures. */
  size?: PictureSize
}

/** How many bytes decide about the type. */
const sniffedBytes = 2048

type Cleaner = (reader: ByteReader) => AsyncGenerator<Buffer, PictureSize | undefined>

/**
 * The accepted types. The first bytes alone decide: a file that only resembles a type further on, as polyglots do, is not
 * of that type.
 */
const formats: { type: AttachmentType; isStart: (start: Buffer) => boolean; clean: Cleaner }[] = [
  { type: 'image/png', isStart: startsWith('\x89PNG\r\n\x1a\n'), clean: cleanPng },
  { type: 'image/jpeg', isStart: startsWith('\xff\xd8\xff'), clean: cleanJpeg },
  { type: 'image/gif', isStart: start => /^GIF8[79]a/.test(start.toString('latin1', 0, 6)), clean: cleanGif },
  { type: 'image/webp', isStart: start => /^RIFF.{4}WEBP/s.test(start.toString('latin1', 0, 12)), clean: cleanWebp },
  { type: 'application/pdf', isStart: isPdf, clean: passAll },
]

/**
 * Reads a file, and yields it as it is to be stored: without metadata, and without bytes after its end. Returns what it is.
 * Throws a `FileProblemError` if it is not accepted, possibly after most of it. It holds no more of the file than a few
 * parts of it at a time.
 */
export async function* cleanFile(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, FileInfo> {
  const reader = createByteReader(source)
  const start = await reader.peek(sniffedBytes)
  const format = formats.find(({ isStart }) => isStart(start))
  const size = yield* (format?.clean ?? cleanText)(reader)
  return { type: format?.type ?? 'text/plain', ...(size && { size }) }
}

/**
 * Readers find `%PDF-` within the first KiB, and programs write white space, a byte order mark or headers before it. A text
 * that only mentions it has no objects.
 */
function isPdf(start: Buffer): boolean {
  const text = start.toString('latin1', 0, sniffedBytes).replace(/^\xef\xbb\xbf/, '')
  if (/^\s{0,1024}%PDF-/.test(text)) return true
  return !isMarkup(text) && /^[\s\x20-\x7e]{1,1024}?%PDF-\d\.\d[\s\S]*?\d obj/.test(text)
}

function startsWith(signature: string): (start: Buffer) => boolean {
  return start => start.toString('latin1', 0, signature.length) === signature
}

async function* passAll(reader: ByteReader): AsyncGenerator<Buffer, undefined> {
  for (let part = await reader.peek(1); part.length > 0; part = await reader.peek(1)) yield* reader.pass(part.length)
}
