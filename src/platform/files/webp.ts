import type { ByteReader } from './byteReader.ts'
import { declaredProfileBytes, profileStartBytes } from './colorProfile.ts'
import { damaged } from './fileProblem.ts'
import { checkSize, includeFrame, type PictureSize } from './pictureSize.ts'

/**
 * The chunks that contain the picture or say how it looks. All others, such as Exif and XMP, are blanked,
 * and so is what only claims to be a colour profile.
 */
const kept = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])
/** The bits of the header that say that there are Exif and XMP. */
const metadataFlags = 0x08 | 0x04

/**
 * Yields a WebP without metadata, and without bytes after its end. The header at the beginning says how long the file is,
 * so metadata is replaced by as many zeros, in a chunk that decoders ignore.
 */
export async function* cleanWebp(reader: ByteReader): AsyncGenerator<Buffer, PictureSize> {
  const head = await reader.read(12)
  yield head
  const isExtended = (await reader.peek(4)).toString('latin1', 0, 4) === 'VP8X'
  const sizes = yield* cleanChunks(reader, head.readUInt32LE(4) - 4, false)
  const [size, ...others] = sizes
  // The extended header has a size, too, but no pixels.
  if (!size || (isExtended && others.length === 0)) throw damaged()
  return size
}

/** Yields chunks that together have so many bytes; returns the sizes of the pictures in them. */
async function* cleanChunks(
  reader: ByteReader,
  bytes: number,
  isFrame: boolean,
): AsyncGenerator<Buffer, PictureSize[]> {
  const sizes: PictureSize[] = []
  for (let left = bytes; left > 0; ) {
    const head = await reader.read(8)
    const type = head.toString('latin1', 0, 4)
    const length = head.readUInt32LE(4)
    const padded = length + (length % 2)
    left -= 8 + padded
    // An animation's frame contains no other frame.
    if (left < 0 || (isFrame && type === 'ANMF')) throw damaged()
    // The extended header can only be the first chunk of a file.
    if (type === 'VP8X' && (isFrame || sizes.length > 0)) throw damaged()
    const isFakeProfile = type === 'ICCP' && declaredProfileBytes(await reader.peek(profileStartBytes)) !== length
    if (kept.has(type) && !isFakeProfile) yield* cleanChunk(reader, type, head, padded, sizes)
    else {
      yield Buffer.concat([Buffer.from('JUNK'), head.subarray(4)])
      for await (const { length } of reader.pass(padded)) yield Buffer.alloc(length)
    }
  }
  return sizes
}

async function* cleanChunk(
  reader: ByteReader,
  type: string,
  head: Buffer,
  padded: number,
  sizes: PictureSize[],
): AsyncGenerator<Buffer, void> {
  yield head
  const start = Buffer.from(await reader.read(headerBytes[type] ?? 0))
  if (start.length > padded) throw damaged()
  if (type === 'ANMF') checkFrame(start, sizes)
  const size = sizeOf(type, start)
  if (size) sizes.push(checkSize(...size))
  if (type === 'VP8X') start[0] = (start[0] ?? 0) & ~metadataFlags
  if (start.length > 0) yield start
  if (type === 'ANMF') yield* cleanChunks(reader, padded - start.length, true)
  else yield* reader.pass(padded - start.length)
}

/** The extended header comes first, so its size is the first. */
function checkFrame(start: Buffer, [size]: PictureSize[]): void {
  if (!size) throw damaged()
  includeFrame(size, {
    left: 2 * start.readUIntLE(0, 3),
    top: 2 * start.readUIntLE(3, 3),
    width: start.readUIntLE(6, 3) + 1,
    height: start.readUIntLE(9, 3) + 1,
  })
}

/** The length of the part of a chunk that contains a size. */
const headerBytes: Record<string, number> = { 'VP8 ': 10, VP8L: 5, VP8X: 10, ANMF: 16 }

function sizeOf(type: string, start: Buffer): [width: number, height: number] | undefined {
  if (type === 'VP8X') return [start.readUIntLE(4, 3) + 1, start.readUIntLE(7, 3) + 1]
  if (type === 'VP8 ') {
    if (start.toString('hex', 3, 6) !== '9d012a') throw damaged()
    return [start.readUInt16LE(6) & 0x3fff, start.readUInt16LE(8) & 0x3fff]
  }
  if (type !== 'VP8L') return undefined
  if (start[0] !== 0x2f) throw damaged()
  const bits = start.readUInt32LE(1)
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
}
