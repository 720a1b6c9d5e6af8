import { crc32, deflateSync } from 'node:zlib'

/** What a stranger must not get to see: it stands in the metadata of every picture here. */
export const secret = 'Latitude 59.91'

type Bytes = Buffer | string | number[]

export const bytesOf = (...parts: Bytes[]): Buffer =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

const number = (bytes: number, value: number, isLittle = false): Buffer => {
  const buffer = Buffer.alloc(bytes)
  if (isLittle) buffer.writeUIntLE(value, 0, bytes)
  else buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

export function pngChunk(type: string, data: Bytes): Buffer {
  const body = bytesOf(type, data)
  return bytesOf(number(4, body.length - 4), body, number(4, crc32(body)))
}

/** A white PNG, with further chunks before its pixels. */
export function png({ width = 2, height = 1, chunks = [] as Buffer[], isLarge = false } = {}): Buffer {
  const rows = isLarge ? Buffer.alloc(0) : Buffer.alloc((1 + width) * height, 255).fill(0, 0, 1)
  return bytesOf(
    '\x89PNG\r\n\x1a\n',
    pngChunk('IHDR', bytesOf(number(4, width), number(4, height), [8, 0, 0, 0, 0])),
    ...chunks,
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', ''),
  )
}

/** The chunk that begins a frame of an animated PNG, of one pixel. */
export const pngFrame = (left: number, top: number): Buffer =>
  pngChunk('fcTL', bytesOf(...[0, 1, 1, left, top].map(value => number(4, value)), Buffer.alloc(6)))

/** A colour profile, of which only the size and the signature are true. */
export const colorProfile = (length = 200): Buffer =>
  bytesOf(number(4, length), Buffer.alloc(32), 'acsp', Buffer.alloc(length - 40, 1))

/** The chunk of a PNG with that colour profile, and more after it. */
export const pngProfile = (profile: Buffer, name = 'ICC', rest = ''): Buffer =>
  pngChunk('iCCP', bytesOf(name, [0, 0], deflateSync(profile), rest))

/** A part of a colour profile in a JPEG. */
export const jpegProfile = (part: number, parts: number, bytes: Bytes): Buffer =>
  jpegSegment(0xe2, bytesOf('ICC_PROFILE\0', [part, parts], bytes))

export const jpegSegment = (code: number, payload: Bytes): Buffer => {
  const body = bytesOf(payload)
  return bytesOf([0xff, code], number(2, body.length + 2), body)
}

/** The Exif of a photo that a phone held on its side has taken at a place. */
export const exif = (orientation: number, order: 'II' | 'MM' = 'II'): Buffer => {
  const isLittle = order === 'II'
  const entry = (tag: number, type: number, value: Buffer) =>
    bytesOf(number(2, tag, isLittle), number(2, type, isLittle), number(4, 1, isLittle), value)
  const short = bytesOf(number(2, orientation, isLittle), [0, 0])
  return bytesOf(
    order,
    number(2, 42, isLittle),
    number(4, 8, isLittle),
    number(2, 2, isLittle),
    entry(0x010f, 4, number(4, 0, isLittle)),
    entry(0x0112, 3, short),
    number(4, 0, isLittle),
    secret,
  )
}

/** The parts of a JPEG that all have; its pixels are no valid picture. */
export function jpeg({ width = 2, height = 1, segments = [] as Buffer[], scan = [1, 0xff, 0, 0xff, 0xd0, 2] } = {}) {
  const frame = bytesOf([8], number(2, height), number(2, width), [1, 1, 0x11, 0])
  return bytesOf(
    [0xff, 0xd8],
    ...segments,
    jpegSegment(0xc0, frame),
    jpegSegment(0xda, [1, 1, 0, 0, 63, 0]),
    scan,
    [0xff, 0xd9],
  )
}

const size = (value: number): Buffer => number(2, value, true)

/** A frame of a GIF. Its pixels are no valid picture unless it is 2 × 1. */
export const gifFrame = (left: number, top: number, width: number, height: number): Buffer =>
  bytesOf([0x2c], size(left), size(top), size(width), size(height), [0, 2], [2, 0x84, 0x51, 0])

/** An animated GIF of one frame, with further parts before it. */
export function gif({ width = 2, height = 1, extensions = [] as Buffer[] } = {}): Buffer {
  return bytesOf(
    'GIF89a',
    bytesOf(size(width), size(height), [0x80, 0, 0], [255, 255, 255, 0, 0, 0]),
    ...extensions,
    gifFrame(0, 0, width, height),
    [0x3b],
  )
}

export const gifExtension = (label: number, ...blocks: Bytes[]): Buffer =>
  bytesOf([0x21, label], ...blocks.map(block => bytesOf([block.length], block)), [0])

export const webpChunk = (type: string, data: Bytes): Buffer => {
  const body = bytesOf(data)
  return bytesOf(type, number(4, body.length, true), body, body.length % 2 === 1 ? [0] : [])
}

const lossless = (width: number, height: number): Buffer =>
  webpChunk('VP8L', bytesOf([0x2f], number(4, ((height - 1) << 14) | (width - 1), true), [0x88, 0x88, 0x08]))

/** A WebP with the extended header, and further chunks after its pixels. */
export function webp({ width = 2, height = 1, chunks = [] as Buffer[], flags = 0 } = {}): Buffer {
  const size = bytesOf(number(3, width - 1, true), number(3, height - 1, true))
  const body = bytesOf('WEBP', webpChunk('VP8X', bytesOf([flags, 0, 0, 0], size)), lossless(2, 1), ...chunks)
  return bytesOf('RIFF', number(4, body.length, true), body)
}

/** A frame of an animated WebP, with those chunks instead of pixels. */
export const webpFrame = (left: number, top: number, chunks: Bytes = ''): Buffer =>
  webpChunk('ANMF', bytesOf(number(3, left / 2, true), number(3, top / 2, true), Buffer.alloc(10), chunks))
