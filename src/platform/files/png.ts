import type { ByteReader } from './byteReader.ts'
import { damaged } from './fileProblem.ts'
import { checkSize, type PictureSize } from './pictureSize.ts'

/**
 * The chunks that say how a PNG looks, those of animations included. All others, such as texts, Exif and times, are
 * removed.
 */
const kept = new Set(
  `IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs acTL fcTL fdAT`.split(' '),
)

/** Yields a PNG without metadata, and without bytes after its end. */
export async function* cleanPng(reader: ByteReader): AsyncGenerator<Buffer, PictureSize> {
  yield await reader.read(8)
  let size: PictureSize | undefined
  let hasPixels = false
  for (;;) {
    const head = await reader.read(8)
    const length = head.readUInt32BE(0)
    const type = head.toString('latin1', 4)
    if (!/^[A-Za-z]{4}$/.test(type) || length > 0x7fffffff || (type === 'IHDR') !== (size === undefined))
      throw damaged()
    if (type === 'IEND' && length > 0) throw damaged()
    // The checksum follows the data.
    if (!size) {
      if (length !== 13) throw damaged()
      const header = await reader.read(length + 4)
      size = checkSize(header.readUInt32BE(0), header.readUInt32BE(4))
      yield* [head, header]
    } else if (kept.has(type)) {
      yield head
      yield* reader.pass(length + 4)
    } else await reader.skip(length + 4)
    hasPixels ||= type === 'IDAT' && length > 0
    if (type !== 'IEND') continue
    if (!hasPixels) throw damaged()
    return size
  }
}
