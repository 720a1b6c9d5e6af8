/** The named entities of letters and signs that occur in messages. Each line begins with the code point of its first name. */
const names = `34 quot    amp apos
60 lt  gt
160 nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
338 OElig oelig
352 Scaron scaron
913 Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho  Sigma Tau Upsilon Phi Chi Psi Omega
945 alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega
8211 ndash mdash   lsquo rsquo sbquo  ldquo rdquo bdquo  dagger Dagger bull    hellip
8240 permil
8249 lsaquo rsaquo
8364 euro
8482 trade
8592 larr uarr rarr darr harr
8722 minus
8734 infin
8776 asymp
8800 ne
8804 le ge`

const namedEntities: Record<string, string> = Object.create(null)
for (const line of names.split('\n')) {
  const [start, ...rest] = line.split(' ')
  rest.forEach((name, index) => {
    namedEntities[name] = String.fromCharCode(Number(start) + index)
  })
}

/** Replaces numeric entities and these named ones by their characters. Other names are left unchanged. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7}|x[\da-f]{1,6})|(\w{2,7}));/gi, (entity, number?: string, name = '') => {
    if (!number) return namedEntities[name] ?? entity
    const code = Number(`0${number}`)
    const isSurrogate = code >= 0xd800 && code <= 0xdfff
    return code > 0 && code <= 0x10ffff && !isSurrogate ? String.fromCodePoint(code) : '\ufffd'
  })
}
