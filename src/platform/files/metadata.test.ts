import { describe, expect, it, test } from 'vitest'
import { clean } from '../testing/files/clean.ts'
import {
  bytesOf,
  colorProfile,
  exif,
  gif,
  gifExtension,
  jpeg,
  jpegProfile,
  jpegSegment,
  png,
  pngChunk,
  pngProfile,
  secret,
  webp,
  webpChunk,
  webpFrame,
} from '../testing/files/pictures.ts'
import { readOrientation } from './exifOrientation.ts'

describe('metadata', () => {
  const polyglot = '<script>alert(1)</script>PK\x03\x04'
  const loop = gifExtension(0xff, 'NETSCAPE2.0', [1, 0, 0])
  const control = gifExtension(0xf9, [0, 10, 0, 0])
  const junk = (length: number) => webpChunk('JUNK', Buffer.alloc(length))
  const gamma = pngChunk('gAMA', [0, 0, 0, 1])
  const colourChunks = ['cHRM', 'sBIT', 'sRGB', 'bKGD', 'pHYs', 'acTL', 'cICP', 'mDCV', 'cLLI']
  const profile = colorProfile()
  const profileParts = [jpegProfile(1, 2, profile.subarray(0, 120)), jpegProfile(2, 2, profile.subarray(120))]
  test.each<[string, Buffer, Buffer]>([
    [
      'PNG: texts, Exif and time',
      png({
        chunks: [
          pngChunk('iTXt', `XML:com.adobe.xmp\0${secret}`),
          pngChunk('eXIf', exif(6)),
          ...['tEXt', 'zTXt', 'tIME', 'sPLT', 'prVt'].map(type => pngChunk(type, `a\0${secret}`)),
          gamma,
        ],
      }),
      png({ chunks: [gamma] }),
    ],
    [
      'PNG: chunks of another length than they have, and repeated ones',
      png({
        chunks: [
          gamma,
          pngChunk('gAMA', Buffer.from(secret).subarray(0, 4)),
          ...colourChunks.map(type => pngChunk(type, secret)),
          pngChunk('tRNS', secret.repeat(20)),
        ],
      }),
      png({ chunks: [gamma] }),
    ],
    [
      'PNG: the name of a colour profile, and what follows it',
      png({ chunks: [pngProfile(profile, secret, secret)] }),
      png({ chunks: [pngProfile(profile)] }),
    ],
    [
      'PNG: colour profiles that are none',
      png({
        chunks: [
          pngChunk('iCCP', `${secret}\0\0${secret}`),
          pngChunk('iCCP', secret),
          pngProfile(bytesOf(profile, secret), secret),
          pngProfile(colorProfile(2 ** 21), secret),
        ],
      }),
      png(),
    ],
    [
      'WebP: a colour profile with another size than it says',
      webp({ chunks: [webpChunk('ICCP', profile), webpChunk('ICCP', bytesOf(profile, secret))] }),
      webp({ chunks: [webpChunk('ICCP', profile), junk(profile.length + secret.length)] }),
    ],
    [
      'GIF: further blocks of a loop and of a graphic control',
      gif({
        extensions: [
          gifExtension(0xff, 'NETSCAPE2.0', [1, 0, 0], secret),
          gifExtension(0xff, 'NETSCAPE2.0', secret),
          gifExtension(0xf9, [0, 10, 0, 0], secret),
          gifExtension(0xf9, secret),
        ],
      }),
      gif({ extensions: [loop, control] }),
    ],
    ['PNG: what comes after its end', bytesOf(png(), secret, polyglot), png()],
    [
      'JPEG: Exif, XMP, comments, IPTC, thumbnails and those of unknown applications',
      jpeg({
        segments: [
          jpegSegment(0xe0, bytesOf('JFIF\0', [1, 1, 0, 0, 1, 0, 1, 1, 1], secret)),
          jpegSegment(0xe0, `JFXX\0${secret}`),
          jpegSegment(0xe1, bytesOf('Exif\0\0', exif(1))),
          jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${secret}`),
          jpegSegment(0xe2, `MPF\0${secret}`),
          ...profileParts,
          jpegProfile(3, 3, secret),
          jpegProfile(1, 1, bytesOf(profile, secret)),
          jpegSegment(0xed, `Photoshop 3.0\0${secret}`),
          jpegSegment(0xee, bytesOf('Adobe', [0, 100, 0, 0, 0, 0, 1], secret)),
          jpegSegment(0xef, secret),
          jpegSegment(0xfe, secret),
        ],
      }),
      jpeg({
        segments: [
          jpegSegment(0xe0, bytesOf('JFIF\0', [1, 1, 0, 0, 1, 0, 1, 0, 0])),
          ...profileParts,
          jpegSegment(0xee, bytesOf('Adobe', [0, 100, 0, 0, 0, 0, 1])),
        ],
      }),
    ],
    ['JPEG: what comes after its end', bytesOf(jpeg(), jpeg(), secret, polyglot), jpeg()],
    [
      'GIF: comments, texts, XMP and those of unknown applications',
      gif({
        extensions: [
          loop,
          gifExtension(0xfe, secret, polyglot),
          gifExtension(0x01, 'x'.repeat(12), secret),
          gifExtension(0xff, 'XMP DataXMP', secret),
          gifExtension(0xfe),
          control,
        ],
      }),
      gif({ extensions: [loop, control] }),
    ],
    ['GIF: what comes after its end', bytesOf(gif(), secret, polyglot), gif()],
    [
      'WebP: Exif, XMP and unknown chunks',
      webp({
        flags: 0x1c,
        chunks: [webpChunk('EXIF', exif(6)), webpChunk('XMP ', secret), webpChunk('abcd', `${secret}!`)],
      }),
      webp({
        flags: 0x10,
        chunks: [exif(6).length, secret.length, secret.length + 1].map(junk),
      }),
    ],
    ['WebP: what comes after its end', bytesOf(webp(), secret, polyglot), webp()],
    [
      'WebP: unknown chunks in a frame of an animation',
      webp({ chunks: [webpFrame(0, 0, webpChunk('abcd', secret))] }),
      webp({ chunks: [webpFrame(0, 0, junk(secret.length))] }),
    ],
  ])('is removed from %s', async (_, file, expected) => {
    expect(file.includes(secret)).toBe(true)
    for (const portion of [1, 7, 1e6]) {
      const { bytes } = await clean(file, portion)
      expect(bytes.includes(secret) || bytes.includes('<script')).toBe(false)
      expect(bytes.equals(expected)).toBe(true)
    }
  })

  it('leaves nothing of Exif but the orientation, by which phones say how a photo lies', async () => {
    for (const order of ['II', 'MM'] as const) {
      const segments = [jpegSegment(0xe1, bytesOf('Exif\0\0', exif(6, order)))]
      const { bytes } = await clean(jpeg({ segments }))
      const at = bytes.indexOf('Exif\0\0')
      expect(readOrientation(bytes.subarray(at + 6))).toBe(6)
      expect(bytes.length).toBe(jpeg().length + 4 + 6 + 26)
    }
  })

  it('that is damaged hides no orientation and breaks nothing', () => {
    for (let length = 0; length < exif(6).length; length++)
      expect([1, 6]).toContain(readOrientation(exif(6).subarray(0, length)))
    expect(readOrientation(exif(9))).toBe(1)
  })
})
