import { promisify } from 'node:util'
import { crc32, deflate, inflate } from 'node:zlib'
import type { ByteReader } from './byteReader.ts'
import { declaredProfileBytes } from './colorProfile.ts'
import { damaged } from './fileProblem.ts'
import { checkSize, type Frame, includeFrame, type PictureSize } from './pictureSize.ts'

const atMost = (length: number) => Array.from({ length }, (_, index) => index + 1)

/**
 * The lengths of the chunks that say how a PNG looks. Others, such as texts, Exif and times, are removed, and so are these if
 * they have another length or come again: they could contain anything.
 */
const lengths: Record<string, readonly number[]> = {
  tRNS: atMost(256),
  cHRM: [32],
  gAMA: [4],
  sBIT: atMost(4),
  sRGB: [1],
  cICP: [4],
  mDCV: [24],
  cLLI: [8],
  bKGD: [1, 2, 6],
  pHYs: [9],
  acTL: [8],
}

/** The largest colour profile, compressed and as it is. */
const maxProfileBytes = { compressed: 256 * 1024, plain: 1024 * 1024 }

/** Yields a PNG without metadata, and without bytes after its end. */
export async function* cleanPng(reader: ByteReader): AsyncGenerator<Buffer, PictureSize> {
  yield await reader.read(8)
  let size: PictureSize | undefined
  let hasPixels = false
  const seen = new Set<string>()
  for (;;) {
    const head = await reader.read(8)
    const length = head.readUInt32BE(0)
    const type = head.toString('latin1', 4)
    if (!/^[A-Za-z]{4}$/.test(type) || length > 0x7fffffff || (type === 'IHDR') !== (size === undefined))
      throw damaged()
    // The checksum follows the data.
    const whole = length + 4
    if (!size) {
      if (length !== 13) throw damaged()
      const header = await reader.read(whole)
      size = checkSize(header.readUInt32BE(0), header.readUInt32BE(4))
      yield* [head, header]
    } else if (type === 'IDAT' || type === 'fdAT') {
      yield head
      yield* reader.pass(whole)
    } else if (type === 'PLTE' || type === 'IEND') {
      const isPalette = length % 3 === 0 && length > 0 && length <= 768
      if (seen.has(type) || (type === 'PLTE' ? !isPalette : length > 0)) throw damaged()
      yield* [head, await reader.read(whole)]
    } else if (type === 'fcTL') {
      if (length !== 26) throw damaged()
      const control = await reader.read(whole)
      includeFrame(size, readFrame(control))
      yield* [head, control]
    } else if (type === 'iCCP' && length <= maxProfileBytes.compressed && !seen.has(type)) {
      const profile = await cleanProfile((await reader.read(whole)).subarray(0, length))
      if (profile) yield profile
    } else if (lengths[type]?.includes(length) && !seen.has(type)) yield* [head, await reader.read(whole)]
    else for await (const _ of reader.pass(whole));
    seen.add(type)
    hasPixels ||= type === 'IDAT' && length > 0
    if (type !== 'IEND') continue
    if (!hasPixels) throw damaged()
    return size
  }
}

const readFrame = (control: Buffer): Frame => ({
  width: control.readUInt32BE(4),
  height: control.readUInt32BE(8),
  left: control.readUInt32BE(12),
  top: control.readUInt32BE(16),
})

/** A chunk with the colour profile of another one, without its name and without what follows; `undefined` if it has none. */
async function cleanProfile(chunk: Buffer): Promise<Buffer | undefined> {
  const nameEnd = chunk.indexOf(0)
  try {
    // A byte for the method of compression comes first.
    const compressed = chunk.subarray(nameEnd + 2)
    const profile = await promisify(inflate)(compressed, { maxOutputLength: maxProfileBytes.plain })
    // Whatever follows the profile could be anything.
    if (nameEnd < 0 || declaredProfileBytes(profile) !== profile.length) return undefined
    return createChunk('iCCP', Buffer.concat([Buffer.from('ICC\0\0', 'latin1'), await promisify(deflate)(profile)]))
  } catch {
    return undefined
  }
}

function createChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), data, Buffer.alloc(4)])
  chunk.writeUInt32BE(data.length, 0)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
  return chunk
}
