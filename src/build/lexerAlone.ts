import type { Plugin } from 'vite'

/** What matches nothing. */
const never = '/(?!)/'

/**
 * What is taken out of marked, by what this very version looks like: all but the lexer, and of that what no option
 * turns on. Raw HTML is no block and no tag but text, and a line under a paragraph makes no heading of what has been
 * read as a paragraph while it came.
 */
const cuts: [piece: RegExp, comesTo: string][] = [
  [/;var \w+=class\{options;parser;[\s\S]*?(?=export\{)/, ';'],
  [/export\{.*\b(\w+) as Lexer,[\s\S]*$/, 'export{$1 as Lexer}'],
  [/this\.options\.(pedantic|silent|breaks)\b/g, '!1'],
  [/this\.options\.gfm\b/g, '!0'],
  [/this\.options\.(extensions|hooks)\b/g, 'null'],
  [/\w+=\{\.\.\.\w+,html:\w+\(`[\s\S]*?"lheading",\w+\)\.getRegex\(\)\},(?=\w+=\/\^\\\\\()/, ''],
  [/\w+=\w+\(\w+,"u"\)\.replace\(\/openQuote.*?getRegex\(\),/, ''],
  [/(\w+)="[^"]+\(\?:\(\?!(?:\\\\\*|_)\)punct\|notPunctSpace\)[^"]*",\w+=\w+\(\1,"gu"\).*?getRegex\(\),/g, ''],
  [/\w+=\{\.\.\.\w+,emStrongLDelim:\w+,emStrongRDelimAst:\w+,emStrongRDelimUnd:\w+,link:.*?getRegex\(\)\},/, ''],
  [/,\w+=\{\.\.\.\w+,br:.*?getRegex\(\)\}(?=,)/, ''],
  [/,pedantic:\w+\}/g, '}'],
  [/,breaks:\w+/, ''],
  [/"address\|article[^"]*"/, '"0"'],
  [/\w+\(" \{0,3\}\(\?:<\/\?\(\?:tag\).*?\.getRegex\(\)/, never],
  [/\w+\("\^ \{0,3\}\(\?:<\(script.*?\.getRegex\(\)/, never],
  [/htmlBeginRegex:\w+\(\w+=>.*?"i"\)\)/, `htmlBeginRegex:()=>${never}`],
  [/\w+\("\^comment\|.*?\.getRegex\(\)/, never],
  [/\w+\(\w+\)\.replace\("\(\?:-->\|\$\)","-->"\)\.getRegex\(\)/, never],
  [/if\(\w=this\.tokenizer\.(html|tag|lheading)\(\w\)\)\{[^}]*continue\}/g, ''],
  [/\bhtml\(\w\)\{.*?(?=def\(\w\)\{)/s, ''],
  [/\blheading\(\w\)\{.*?(?=paragraph\(\w\)\{)/s, ''],
  [/\btag\(\w\)\{.*?(?=link\(\w\)\{)/s, ''],
  [/static get rules.*?(?=lex\(\w\)\{\w=\w\.replace)/s, ''],
  [/text:\w\?\w\[0\]:\w+\((\w)\[0\]\),escaped:\w/, 'text:$1[0],escaped:!1'],
  [/try\{return!!new RegExp\("\(\?<=1\).*?catch\{return!1\}/, 'return!0'],
  [/(outputLinkR|(start|end)(A|PreScript)Tag|pedanticH|numericCharacterR|escape[TR]|percentD)\w*:.*?,(?=\w+:)/g, ''],
  // For the single file, whose target is older than what is private to a class, and than its fields.
  [/(?<=[}.])#(\w)(?=\()/g, '_$1'],
  [/(?<=\bclass[ \w]*\{)(?:\w+;)+/g, ''],
  [/(?<=[,;][\w$]+=)\w+\([\w$]+\)\.replace\(\/bull\/g,\w+\)\.replace\(\/blockCode.*?getRegex\(\)/g, never],
]

/**
 * Only marked's lexer, in every build and in the tests: two thirds of the package are for making HTML. A piece that is
 * no longer there fails the build.
 */
export const lexerAlone: Plugin = {
  name: 'lexer-alone',
  transform(code, id) {
    if (!id.includes('/marked/lib/')) return null
    return cuts.reduce((left, [piece, comesTo]) => {
      const less = left.replace(piece, comesTo)
      if (less === left) throw new Error(`marked no longer says ${piece}`)
      return less
    }, code)
  },
}
