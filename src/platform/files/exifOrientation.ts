const orientationTag = 0x0112
const shortType = 3

/** The orientation, 1 to 8, in the TIFF data of Exif; 1, upright, if it has none. */
export function readOrientation(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return 1
  const isLittle = order === 'II'
  const short = (at: number): number =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)
  if (tiff.length < 8 || short(2) !== 42) return 1
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const entries = short(directory)
  for (let index = 0; index < entries; index++) {
    const entry = directory + 2 + 12 * index
    if (entry + 12 > tiff.length) return 1
    if (short(entry) !== orientationTag || short(entry + 2) !== shortType) continue
    const value = short(entry + 8)
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** TIFF data that contains an orientation and nothing else. */
export function createOrientation(orientation: number): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(orientationTag, 10)
  tiff.writeUInt16BE(shortType, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  return tiff
}
