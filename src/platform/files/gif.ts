import type { ByteReader } from './byteReader.ts'
import { damaged } from './fileProblem.ts'
import { checkSize, type Frame, includeFrame, type PictureSize } from './pictureSize.ts'

const [extension, image, trailer] = [0x21, 0x2c, 0x3b]
const [graphicControl, application] = [0xf9, 0xff]
/** The application extensions that say how often an animation is repeated. */
const loops = ['NETSCAPE2.0', 'ANIMEXTS1.0']
/** The first byte of the block that says how often. */
const loopCount = 1
const endOfBlocks = Buffer.from([0])

/** Yields a GIF without comments, texts and data of applications, and without bytes after its end. */
export async function* cleanGif(reader: ByteReader): AsyncGenerator<Buffer, PictureSize> {
  const head = await reader.read(13)
  const size = checkSize(head.readUInt16LE(6), head.readUInt16LE(8))
  yield head
  yield* reader.pass(colorTableBytes(head[10]))
  let enlarged = size
  let hasImage = false
  for (;;) {
    const [kind] = await reader.read(1)
    if (kind === trailer && hasImage) {
      yield Buffer.from([trailer])
      return size
    }
    if (kind === image) {
      hasImage = true
      const descriptor = await reader.read(9)
      enlarged = includeFrame(enlarged, readFrame(descriptor))
      yield* [Buffer.from([image]), descriptor]
      // The minimum code size of the compression follows the table.
      yield* reader.pass(colorTableBytes(descriptor[8]) + 1)
      yield* subBlocks(reader)
    } else if (kind === extension) yield* cleanExtension(reader)
    else throw damaged()
  }
}

const readFrame = (descriptor: Buffer): Frame => ({
  left: descriptor.readUInt16LE(0),
  top: descriptor.readUInt16LE(2),
  width: descriptor.readUInt16LE(4),
  height: descriptor.readUInt16LE(6),
})

const colorTableBytes = (flags = 0): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** Keeps the first block of a graphic control, and of a loop the block that counts it. More blocks could contain anything. */
async function* cleanExtension(reader: ByteReader): AsyncGenerator<Buffer, void> {
  const [label = 0] = await reader.read(1)
  const first = await readSubBlock(reader)
  if (isEmpty(first)) return
  const second = await readSubBlock(reader)
  const isControl = label === graphicControl && first[0] === 4
  const isLoop =
    label === application && loops.includes(first.toString('latin1', 1)) && second[0] === 3 && second[1] === loopCount
  if (isControl) yield* [Buffer.from([extension, label]), first, endOfBlocks]
  if (isLoop) yield* [Buffer.from([extension, label]), first, second, endOfBlocks]
  if (!isEmpty(second)) for await (const _ of subBlocks(reader));
}

const isEmpty = (block: Buffer): boolean => block[0] === 0

/** Yields blocks, and the empty one at their end; many at once, because a file can have millions. */
async function* subBlocks(reader: ByteReader): AsyncGenerator<Buffer, void> {
  for (;;) {
    const arrived = await reader.peek(1)
    if (arrived.length === 0) throw damaged()
    let at = 0
    for (let length = arrived[at]; length; length = arrived[at]) at += 1 + length
    // The last block may go on after what has arrived.
    const hasEnd = at < arrived.length
    yield* reader.pass(hasEnd ? at + 1 : at)
    if (hasEnd) return
  }
}

/** A block with its length before it. */
async function readSubBlock(reader: ByteReader): Promise<Buffer> {
  const [length = 0] = await reader.peek(1)
  return reader.read(length + 1)
}
