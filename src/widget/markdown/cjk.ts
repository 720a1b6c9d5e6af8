// In Chinese, Japanese and Korean there are no spaces around emphasis: `これは**「強調」**です`. Markdown takes such marks for
// text, as it decides by the spaces and the punctuation around them. These are the CJK-friendly amendments to CommonMark
// (https://github.com/tats-u/markdown-cjk-friendly): their punctuation counts as letters, and beside other punctuation all
// their characters count as spaces do.

const characters = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\uff00-\uffef]`
const cjk = new RegExp(`^${characters}`, 'u')
const cjkPunctuation = new RegExp(String.raw`(?![\p{L}\p{N}])${characters}`, 'gu')
const afterPunctuation = new RegExp(String.raw`(?<=(?![*~])[\p{P}\p{S}](?:\*+|~~))${characters}`, 'gu')

/** Whether a text begins with a character of Chinese, Japanese or Korean. */
export const isCjk = (text: string): boolean => cjk.test(text)

/** Replaces these characters for marked, which then decides by the usual rules which marks close emphasis. */
export const maskCjk = (text: string): string =>
  text
    .replace(cjkPunctuation, character => '字'.repeat(character.length))
    .replace(afterPunctuation, character => '.'.repeat(character.length))
