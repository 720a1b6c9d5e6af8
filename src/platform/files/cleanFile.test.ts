import { describe, expect, it, test } from 'vitest'
import { clean } from '../testing/files/clean.ts'
import {
  bytesOf,
  exif,
  gif,
  gifExtension,
  gifFrame,
  jpeg,
  jpegSegment,
  png,
  pngChunk,
  pngFrame,
  secret,
  webp,
  webpChunk,
  webpFrame,
} from '../testing/files/pictures.ts'
import type { FileProblemError } from './fileProblem.ts'

const scans = (count: number): Buffer[] =>
  Array.from({ length: count }, () => bytesOf(jpegSegment(0xda, [1, 1, 0, 0, 63, 0]), [1, 2]))
const repeated = (part: Buffer): Buffer => Buffer.concat(Array<Buffer>(200_000).fill(part))
const problemOf = (file: Buffer | string): Promise<string> =>
  clean(Buffer.from(file)).then(
    ({ info }) => info.type,
    (error: FileProblemError) => error.problem,
  )

describe('the type of a file', () => {
  const xml = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'
  test.each<[string, Buffer | string, string]>([
    ['PNG', png(), 'image/png'],
    ['JPEG', jpeg(), 'image/jpeg'],
    ['GIF', gif(), 'image/gif'],
    ['WebP', webp(), 'image/webp'],
    ['PDF', '%PDF-1.7\n%%EOF', 'application/pdf'],
    ['text', 'Dear shop,\r\n\tI am\u00a0waiting – 👩‍🚀', 'text/plain'],
    ['text with a byte order mark', '\ufeffHello', 'text/plain'],
    ['text that mentions markup', 'Use <script> here', 'text/plain'],
    ['text about GIFs', 'GIF88a', 'text/plain'],
    ['nothing', '', 'unknown_type'],
    ['HTML', '<!doctype html><p>', 'unknown_type'],
    ['HTML after white space', '\n\t <SCRIPT>alert(1)</SCRIPT>', 'unknown_type'],
    ['HTML after a byte order mark', '\ufeff<html>', 'unknown_type'],
    ['an HTML comment', '<!-- a -->', 'unknown_type'],
    ['an HTML comment of one word', '<!--a--><script>', 'unknown_type'],
    ['XML', xml, 'unknown_type'],
    ['an SVG document type', '<!DOCTYPE svg PUBLIC "a">', 'unknown_type'],
    ['SVG', '<svg onload="alert(1)">', 'unknown_type'],
    ['PostScript', '%!PS-Adobe-3.0', 'unknown_type'],
    ['a control character', 'a\u0000b', 'unknown_type'],
    ['an escape sequence of terminals', 'a\u001b[2Jb', 'unknown_type'],
    ['HTML in UTF-16', Buffer.from('\ufeff<html>', 'utf16le'), 'unknown_type'],
    ['UTF-16 with a control character', Buffer.from('\ufeffa\u0000b', 'utf16le'), 'unknown_type'],
    ['cut UTF-16', Buffer.from('\ufeffHello', 'utf16le').subarray(0, -1), 'unknown_type'],
    ['cut UTF-8', Buffer.from('åå').subarray(0, 3), 'unknown_type'],
    ['Windows-1252 with an undefined byte', Buffer.from([0xe5, 0x81]), 'unknown_type'],
    ['a PDF after white space', '\n %PDF-1.7\n%%EOF', 'application/pdf'],
    ['a PDF after a byte order mark', '\ufeff%PDF-1.7\n%%EOF', 'application/pdf'],
    ['a PDF after headers', 'Content-Type: application/pdf\r\n\r\n%PDF-1.4\n1 0 obj\n', 'application/pdf'],
    ['a text about PDFs', 'A PDF begins with %PDF-1.7, then', 'text/plain'],
    ['HTML before a PDF', '<html>%PDF-1.4\n1 0 obj\n', 'unknown_type'],
    ['a program before a PDF', bytesOf('MZ', [0x90, 0], '%PDF-1.4\n1 0 obj\n'), 'unknown_type'],
    ['a ZIP', bytesOf('PK\x03\x04', [0, 0]), 'unknown_type'],
    ['a program', bytesOf('MZ', [0x90, 0]), 'unknown_type'],
    ['an icon', bytesOf([0, 0, 1, 0]), 'unknown_type'],
    ['the start of a PNG', png().subarray(0, 20), 'damaged'],
    ['a PNG without its end', png().subarray(0, -4), 'damaged'],
    ['a PNG that begins with another chunk', bytesOf('\x89PNG\r\n\x1a\n', pngChunk('tEXt', 'a')), 'damaged'],
    ['a PNG without pixels', bytesOf(png().subarray(0, 33), pngChunk('IEND', '')), 'damaged'],
    ['a PNG with bytes in its last chunk', bytesOf(png().subarray(0, -12), pngChunk('IEND', secret)), 'damaged'],
    ['a PNG with two headers', png({ chunks: [png().subarray(8, 33)] }), 'damaged'],
    ['a JPEG without a picture', bytesOf([0xff, 0xd8, 0xff, 0xd9]), 'damaged'],
    ['a JPEG with a size and no scan', bytesOf(jpeg().subarray(0, 15), [0xff, 0xd9]), 'damaged'],
    ['a JPEG of a hundred scans', bytesOf(jpeg().subarray(0, -2), ...scans(100), [0xff, 0xd9]), 'damaged'],
    ['a JPEG of ten scans', bytesOf(jpeg().subarray(0, -2), ...scans(9), [0xff, 0xd9]), 'image/jpeg'],
    ['a JPEG without its end', jpeg().subarray(0, -1), 'damaged'],
    ['a JPEG whose height comes later', jpeg({ height: 0 }), 'damaged'],
    ['a GIF without a frame', gif().subarray(0, 19), 'damaged'],
    ['a WebP without a picture', bytesOf('RIFF', [4, 0, 0, 0], 'WEBP'), 'damaged'],
    ['a WebP with a header and no pixels', bytesOf('RIFF', [22, 0, 0, 0], webp().subarray(8, 30)), 'damaged'],
    ['a WebP with two headers', webp({ chunks: [webp().subarray(12, 30)] }), 'damaged'],
    ['a WebP that is too short', webp().subarray(0, -2), 'damaged'],
    ['a PNG with a palette of half a colour', png({ chunks: [pngChunk('PLTE', [1, 2])] }), 'damaged'],
    ['a PNG with two palettes', png({ chunks: [pngChunk('PLTE', [1, 2, 3]), pngChunk('PLTE', [1, 2, 3])] }), 'damaged'],
    ['a PNG whose frame is far away', png({ chunks: [pngFrame(20_000, 20_000)] }), 'too_many_pixels'],
    ['a PNG with a frame', png({ chunks: [pngFrame(0, 0)] }), 'image/png'],
    ['a PNG with a longer frame', png({ chunks: [pngChunk('fcTL', Buffer.alloc(30))] }), 'damaged'],
    ['a PNG of 41 megapixels', png({ width: 41_000, height: 1000, isLarge: true }), 'too_many_pixels'],
    ['a PNG of 2^62 pixels', png({ width: 2 ** 31, height: 2 ** 31, isLarge: true }), 'too_many_pixels'],
    ['a JPEG of 41 megapixels', jpeg({ width: 41_000, height: 1000 }), 'too_many_pixels'],
    ['a GIF of 41 megapixels', gif({ width: 41_000, height: 1000 }), 'too_many_pixels'],
    ['a small GIF with a large frame', gif({ extensions: [gifFrame(0, 0, 41_000, 1000)] }), 'too_many_pixels'],
    ['a GIF whose frame is far away', gif({ extensions: [gifFrame(20_000, 20_000, 2, 1)] }), 'too_many_pixels'],
    [
      'a GIF that two frames enlarge in both directions',
      gif({ extensions: [gifFrame(20_000, 0, 2, 1), gifFrame(0, 20_000, 2, 1)] }),
      'too_many_pixels',
    ],
    ['a GIF whose frame is beside it', gif({ extensions: [gifFrame(2, 1, 2, 1)] }), 'image/gif'],
    ['a WebP whose frame is far away', webp({ chunks: [webpFrame(20_000, 20_000)] }), 'too_many_pixels'],
    ['a WebP of 41 megapixels', webp({ width: 41_000, height: 1000 }), 'too_many_pixels'],
    // They would keep the platform busy.
    ['a PNG of very many parts', png({ chunks: [repeated(pngChunk('tEXt', ''))] }), 'damaged'],
    ['a JPEG of very many parts', jpeg({ segments: [repeated(jpegSegment(0xfe, ''))] }), 'damaged'],
    ['a GIF of very many parts', gif({ extensions: [repeated(gifExtension(0xfe))] }), 'damaged'],
    ['a WebP of very many parts', webp({ chunks: [repeated(webpChunk('abcd', ''))] }), 'damaged'],
  ])('%s', async (_, file, expected) => {
    expect(await problemOf(file)).toBe(expected)
  })

  it.each<[string, Buffer, string]>([
    ['Windows-1252', Buffer.from('Name;Größe\r\nBlåbær;5 \x80', 'latin1'), 'Name;Größe\r\nBlåbær;5 €'],
    ['UTF-16', Buffer.from('\ufeffBlåbær 👩', 'utf16le'), 'Blåbær 👩'],
    ['UTF-16 in the other order', Buffer.from('\ufeffBlåbær 👩', 'utf16le').swap16(), 'Blåbær 👩'],
    ['UTF-8', Buffer.from('\ufeffBlåbær 👩'), '\ufeffBlåbær 👩'],
    ['a long Windows-1252', Buffer.from(`${'a'.repeat(100_000)}ø`, 'latin1'), `${'a'.repeat(100_000)}ø`],
  ])('is stored as UTF-8 if it is text in %s', async (_, file, text) => {
    expect((await clean(file)).bytes.toString()).toBe(text)
    expect((await clean(file, 1)).bytes.toString()).toBe(text)
  })

  it('is read with its size', async () => {
    for (const picture of [png, jpeg, gif, webp])
      expect((await clean(picture({ width: 300, height: 200 }))).info.size).toEqual({ width: 300, height: 200 })
  })
})

describe('the size of a JPEG', () => {
  const exifSegment = (orientation: number): Buffer => jpegSegment(0xe1, bytesOf('Exif\0\0', exif(orientation)))
  const photo = (...orientations: number[]) =>
    clean(jpeg({ width: 300, height: 200, segments: orientations.map(exifSegment) }))

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('is that of the upright picture, with orientation %i', async orientation => {
    const [width, height] = orientation < 5 ? [300, 200] : [200, 300]
    expect((await photo(orientation)).info.size).toEqual({ width, height })
  })

  it('follows the first orientation before the picture, and removes others', async () => {
    const { bytes, info } = await photo(1, 6)
    expect(info.size).toEqual({ width: 300, height: 200 })
    expect(bytes.includes('Exif')).toBe(false)
    const late = bytesOf(jpeg().subarray(0, 15), exifSegment(6), jpeg().subarray(15))
    expect((await clean(late)).bytes.equals(jpeg())).toBe(true)
  })
})

it('a GIF of a million blocks is accepted, because only its data is in small parts', async () => {
  const blocks = Buffer.alloc(2 * 1_000_000, 1)
  const whole = gif()
  const file = bytesOf(whole.subarray(0, -5), blocks, whole.subarray(-5))
  for (const portion of [1000, 1001, 1e6]) expect((await clean(file, portion)).bytes.equals(file)).toBe(true)
})

it('a file with a wrong byte or a missing end is refused or stays the same type, and never breaks the platform', async () => {
  for (const picture of [png, jpeg, gif, webp]) {
    const whole = picture()
    for (let at = 0; at < whole.length; at++) {
      const broken = Buffer.from(whole)
      broken[at] = 255 - (broken[at] ?? 0)
      for (const file of [broken, whole.subarray(0, at)])
        expect(await problemOf(file)).toMatch(/^(image\/\w+|text\/plain|unknown_type|damaged|too_many_pixels)$/)
    }
  }
})
