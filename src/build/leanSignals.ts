import type { Plugin } from 'vite'

/** What is taken out of the signals, by what this very version looks like, and what it comes to. */
const cuts: [piece: RegExp, comesTo: string][] = [
  // Assigning what a page has frozen on `Object.prototype` throws, and nobody here turns a signal into text.
  [/\w+\.prototype\.(valueOf|toString|toJSON)=function\(\)\{return this\.value(\+"")?\};?/g, ''],
  // Nobody asks what is a signal, what it is called, or whether anybody watches it.
  [/^var \w=Symbol\.for\("preact-signals"\);/, ''],
  [/\w\.prototype\.brand=\w;/, ''],
  [/this\.W=[^;]*watched;this\.Z=[^;]*unwatched;/, ''],
  [/else \w\(function\(\)\{var \w;null==\(\w=\w\.W\)\|\|\w\.call\(\w\)\}\)/, ''],
  [/if\(void 0===\w\)\w\(function\(\)\{var \w;null==\(\w=\w\.Z\)\|\|\w\.call\(\w\)\}\)/, ''],
  [/this\.name=null==\w\?void 0:\w\.name;?/g, ''],
  [/,\{name:"sub"\}/, ''],
  // Effects are ended by the undo that they give, and belong to no model.
  [/if\(n\)n\.push\(this\)/, ''],
  [/,(\w)=n;(\w)=void 0;n=void 0;(try\{return \w\(\)\}finally\{\2=\w;)n=\1\}/, ';$2=void 0;$3}'],
  [/\w\.prototype\.dispose=function\(\)\{this\.d\(\)\};/, ''],
  // What is there or not is an object each time.
  [/void 0!==/g, ''],
  [/void 0===/g, '!'],
  [/\w\[Symbol\.dispose\]=\w;(?=return \w\}function)/, ''],
]

/** The signals without what the stages never do. A piece that is no longer there fails the build. */
export const leanSignals: Plugin = {
  name: 'lean-signals',
  transform(code, id) {
    if (!id.includes('/@preact/signals-core/')) return null
    return cuts.reduce((left, [piece, comesTo]) => {
      const less = left.replace(piece, comesTo)
      if (less === left) throw new Error(`The signals no longer say ${piece}`)
      return less
    }, code)
  },
}
