import type { ByteReader } from './byteReader.ts'
import { declaredProfileBytes } from './colorProfile.ts'
import { createOrientation, readOrientation } from './exifOrientation.ts'
import { damaged } from './fileProblem.ts'
import { checkSize, type PictureSize } from './pictureSize.ts'

const [endOfImage, startOfScan] = [0xd9, 0xda]
/** Progressive files have about ten scans. With thousands of them, a small file takes a browser minutes. */
const maxScans = 64
const [jfif, exif, icc, adobe] = ['JFIF\0', 'Exif\0\0', 'ICC_PROFILE\0', 'Adobe']

/**
 * Yields a JPEG without metadata, and without bytes after its end. Of the metadata only the orientation stays: without it
 * most photos of phones would lie on their side. Embedded thumbnails are removed, too: they often show what has been cut
 * away. The size is that of the upright picture.
 */
export async function* cleanJpeg(reader: ByteReader): AsyncGenerator<Buffer, PictureSize> {
  yield await reader.read(2)
  let size: PictureSize | undefined
  let orientation: number | undefined
  let scans = 0
  const acceptProfilePart = createProfileFilter()
  for (;;) {
    const code = await readMarker(reader)
    if (code === endOfImage) {
      if (!size || scans === 0) throw damaged()
      yield Buffer.from([0xff, code])
      return isSideways(orientation) ? { width: size.height, height: size.width } : size
    }
    const length = (await reader.read(2)).readUInt16BE(0)
    if (length < 2) throw damaged()
    const payload = await reader.read(length - 2)
    if (isFrame(code)) {
      // Only hierarchical files have several frames, and no browser shows them.
      if (size || payload.length < 6) throw damaged()
      size = checkSize(payload.readUInt16BE(3), payload.readUInt16BE(1))
    }
    if (isExif(code, payload)) {
      // Decoders take the first one before the picture. What others say must not matter, so they are removed.
      if (size || orientation !== undefined) continue
      orientation = readOrientation(payload.subarray(exif.length))
      if (orientation !== 1) yield segmentOf(code, createExif(orientation))
      continue
    }
    if (code === 0xe2 && startsWith(payload, icc)) {
      if (acceptProfilePart(payload.subarray(icc.length))) yield segmentOf(code, payload)
      continue
    }
    const kept = cleanSegment(code, payload)
    if (kept) yield segmentOf(code, kept)
    if (code === startOfScan) {
      if (!size || ++scans > maxScans) throw damaged()
      yield* passScan(reader)
    }
  }
}

/** Start of frame: C0 to CF, except tables (C4, CC) and an extension (C8). */
const isFrame = (code: number): boolean => code >= 0xc0 && code <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(code)

/** Reads the code of the next marker. Any number of FF bytes may come before it. */
async function readMarker(reader: ByteReader): Promise<number> {
  if ((await reader.read(1))[0] !== 0xff) throw damaged()
  for (;;) {
    const code = (await reader.read(1))[0] ?? 0
    if (code !== 0xff) return code
  }
}

const startsWith = (payload: Buffer, name: string): boolean => payload.toString('latin1', 0, name.length) === name

/**
 * Returns a function that says whether a segment is the next part of the colour profile. Bytes beyond the size that the
 * profile declares could be anything.
 */
function createProfileFilter(): (part: Buffer) => boolean {
  let next = 1
  let left = 0
  return part => {
    // The number of this part, and that of all.
    const bytes = part.subarray(2)
    if (part[0] !== next) return false
    if (next === 1) left = declaredProfileBytes(bytes) ?? 0
    if (bytes.length === 0 || bytes.length > left) return false
    next++
    left -= bytes.length
    return true
  }
}

const isExif = (code: number, payload: Buffer): boolean => code === 0xe1 && startsWith(payload, exif)

const createExif = (orientation: number): Buffer =>
  Buffer.concat([Buffer.from(exif, 'latin1'), createOrientation(orientation)])

/** Whether a picture is shown with width and height exchanged. */
const isSideways = (orientation = 1): boolean => orientation >= 5

/**
 * What stays of a segment that is neither Exif nor a colour profile; `undefined` if nothing does. Throws for a segment that a
 * picture cannot have here.
 */
function cleanSegment(code: number, payload: Buffer): Buffer | undefined {
  // Frames, tables, scans and restart intervals.
  if ((code >= 0xc0 && code <= 0xcf) || (code >= 0xda && code <= 0xdd)) return payload
  // Comments and application segments.
  if (code !== 0xfe && (code < 0xe0 || code > 0xef)) throw damaged()
  // The last two bytes are the size of a thumbnail.
  if (code === 0xe0 && startsWith(payload, jfif) && payload.length >= 14)
    return Buffer.concat([payload.subarray(0, 12), Buffer.from([0, 0])])
  // Says how the colours are encoded.
  if (code === 0xee && startsWith(payload, adobe)) return payload.subarray(0, 12)
  return undefined
}

function segmentOf(code: number, payload: Buffer): Buffer {
  const head = Buffer.from([0xff, code, 0, 0])
  head.writeUInt16BE(payload.length + 2, 2)
  return Buffer.concat([head, payload])
}

/** Yields the data of a scan, up to the next marker. */
async function* passScan(reader: ByteReader): AsyncGenerator<Buffer, void> {
  for (;;) {
    const arrived = await reader.peek(2)
    if (arrived.length < 2) throw damaged()
    const end = findMarker(arrived)
    yield* reader.pass(end)
    if (end < arrived.length - 1) return
  }
}

/** The position of the first marker; that of the last byte if there is none, because a marker may begin there. */
function findMarker(bytes: Buffer): number {
  const last = bytes.length - 1
  for (let at = bytes.indexOf(0xff); at >= 0 && at < last; at = bytes.indexOf(0xff, at + 1)) {
    const code = bytes[at + 1] ?? 0
    // FF 00 is a byte of the data; D0 to D7 restart the decoder.
    if (code !== 0 && code !== 0xff && (code < 0xd0 || code > 0xd7)) return at
  }
  return last
}
