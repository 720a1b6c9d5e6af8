/** Common names, some with non-ASCII characters. */
const givenNames =
  'Ada Alan Aiko Amina Ana André Anja Åse Barbara Björn Carlos Chidi Chloé Clara Dmitri Elena Emeka Émile Fatima Farid Grace Hana Hiro Ines Ivan Jana Jürgen João Kaja Karim Kofi Laila Lars Léa Linh Łukasz Mads Maria Mateo Mei Nadia Ngozi Noah Nour Olga Omar Paula Pedro Priya Rahul Renée Rosa Sami Sara Sofia Søren Tariq Tomás Uma Valentina Wei Yara Yusuf Zoë'.split(
    ' ',
  )
const familyNames =
  'Abebe Adeyemi Almeida Andersen Bakker Becker Bianchi Çelik Chen Costa Cohen Diaz Dubois Eriksson Fernández Fischer Garcia Gonzalez Gupta Haddad Hansen Hoffmann Hopper Ito Ivanova Jansen Johansson Jones Kaya Khan Kim Kowalska Kumar Larsen Lefèvre Li López Lovelace Martin Mbeki Meyer Müller Nakamura Nguyễn Novák Okafor Olsen Patel Pereira Petrov Popescu Rossi Sánchez Santos Sato Schmidt Silva Singh Smith Suzuki Svensson Tanaka Taylor Tremblay Turing Vasquez Virtanen Wagner Wang Weber Williams Yamamoto Yılmaz Zhang'.split(
    ' ',
  )
const domains = ['example.com', 'example.org', 'mail.example', 'post.example.net', 'firma.example', 'uni.example.edu']

export interface ContactFields {
  name: string
  email: string
  phone: string
  wid?: string
}

/** Generates a repeatable sequence of contacts with unique emails. */
export function createContactGenerator(seed = 1): () => ContactFields {
  const random = createRandom(seed)
  const pick = <Value>(values: Value[]): Value => values[Math.floor(random() * values.length)] as Value
  const digits = (count: number): string => Array.from({ length: count }, () => Math.floor(random() * 10)).join('')
  let count = 0
  return () => {
    const [first, middle, last] = [pick(givenNames), pick(givenNames), pick(familyNames)]
    const name = random() < 0.3 ? `${first} ${middle} ${last}` : `${first} ${last}`
    const mailbox = `${first}.${last}`
      .normalize('NFKD')
      .replace(/[^a-z.]/gi, '')
      .toLowerCase()
    const country = pick([1, 33, 44, 49, 55, 81, 91, 234])
    const number = digits(9)
    return {
      name,
      email: `${mailbox}${(++count).toString(36)}@${pick(domains)}`,
      phone: random() < 0.8 ? `+${country} ${number.slice(0, 3)} ${number.slice(3)}` : '',
      ...(random() < 0.3 && { wid: `+${country}${digits(9)}` }),
    }
  }
}

/** Mulberry32: small, fast, and the same on every machine. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
