import type { Contact } from '../../../contract/index.ts'
import type { Fields } from './operations.ts'

/** The expected result of a call: status, error code, and body with the ids that the platform returned. */
export interface Expected {
  outcome: string
  data?: unknown
  /** JSON pointers to the invalid fields. */
  pointers?: string[]
  conflict?: string
  replayed?: boolean
}

export interface KnownContact {
  id: string
  by: number
  key: string
  shown: Contact
}
export interface KnownToken {
  token: string
  by: number
  contactId: string
  expiresAt: number
  ended?: 'token_revoked' | 'contact_deleted'
  endedAt?: number
}
interface StoredKey {
  body: string
  until: number
  /** What was created with the key. */
  contactId?: string
  token?: KnownToken
  data?: unknown
  /** The contact has been deleted: the key has no effect any more. */
  isErased?: boolean
}

const day = 86_400_000
const time = (ms: number): string => new Date(ms).toISOString()
const refused = (code: string, more: Partial<Expected> = {}): Expected => ({ outcome: code, ...more })
const notFound = refused('404 not_found')
const letters: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' }

const asciiLower = (text: string): string => text.replace(/[A-Z]/g, letter => letter.toLowerCase())
const normalized = (name: string): string =>
  [...name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()].map(letter => letters[letter] ?? letter).join('')
const digitsOf = (text: string): string => text.replace(/\D/g, '')
/** Decisions 3: ASCII-lower-cased local part, IDNA domain. */
const keyOf = (email: string): string => {
  const [local = '', domain = ''] = email.trim().split('@')
  return `${asciiLower(local)}@${new URL(`http://${domain}`).hostname}`
}
const shownFields = ({ name, email, ...others }: Fields): Fields => ({
  ...others,
  ...(name !== undefined && { name: name.trim().normalize('NFC') }),
  ...(email !== undefined && { email: email.trim() }),
})
/** A body as it is compared with an earlier one of its key: an absent field of a new contact is an empty one. */
const bodyOf = (fields: Fields): string => JSON.stringify({ phone: '', mid: '', wid: '', ...shownFields(fields) })
const organizationOf = (by: number): number => by >> 1

/** The platform as specified, without a store, HTTP or a clock. */
export function createReferenceModel(start: number) {
  let now = start
  const contacts = new Map<string, KnownContact>()
  const tokens: KnownToken[] = []
  const storedKeys = new Map<string, StoredKey>()

  const byKey = (by: number, key: string): KnownContact | undefined =>
    [...contacts.values()].find(contact => contact.key === key && organizationOf(contact.by) === organizationOf(by))
  const own = (by: number, id: string): KnownContact | undefined =>
    contacts.get(id)?.by === by ? contacts.get(id) : undefined
  const end = (token: KnownToken, reason: NonNullable<KnownToken['ended']>): void => {
    token.ended ??= reason
    token.endedAt ??= now
  }
  const add = (by: number, id: string, fields: Fields): KnownContact => {
    const shown = { name: '', email: '', phone: '', mid: '', wid: '', ...shownFields(fields) }
    const contact = {
      id,
      by,
      key: keyOf(shown.email),
      shown: { id, ...shown, createdAt: time(now), updatedAt: time(now) },
    }
    contacts.set(id, contact)
    return contact
  }
  const change = (contact: KnownContact, fields: Fields): void => {
    const shown = shownFields(fields)
    if (Object.entries(shown).every(([name, value]) => value === contact.shown[name as 'name'])) return
    contact.shown = { ...contact.shown, ...shown, updatedAt: time(now) }
    contact.key = keyOf(contact.shown.email)
  }
  /** What is known of a call's key: the earlier call, or why this one is refused; and a function that stores it. */
  const useKey = (operation: string, by: number, key: string | undefined, body: string) => {
    const name = `${operation} ${by} ${key}`
    const found = key === undefined ? undefined : storedKeys.get(name)
    const before = found && found.until > now ? found : undefined
    const isReused = before !== undefined && before.body !== body
    return {
      before,
      refusal: before?.isErased ? notFound : isReused ? refused('422 idempotency_key_reused') : undefined,
      keep(what: Partial<StoredKey>): void {
        if (key !== undefined) storedKeys.set(name, { ...what, body, until: now + day })
      },
    }
  }

  return {
    contacts,
    tokens,
    now: () => now,
    wait(ms: number): void {
      now += ms
    },

    /** `id` is the one that the platform returned, if it created a contact. */
    create(by: number, fields: Fields, key: string | undefined, id: string): Expected {
      const { before, refusal, keep } = useKey('create', by, key, bodyOf(fields))
      if (refusal) return refusal
      if (before) return { outcome: '201', data: before.data, replayed: true }
      const other = byKey(by, keyOf(fields.email ?? ''))
      if (other) return refused('400 email_taken', other.by === by ? { conflict: other.id } : {})
      const contact = add(by, id, fields)
      keep({ contactId: id, data: contact.shown })
      return { outcome: '201', data: contact.shown }
    },

    update(by: number, id: string, fields: Fields): Expected {
      const contact = own(by, id)
      if (!contact) return notFound
      const other = fields.email === undefined ? undefined : byKey(by, keyOf(fields.email))
      if (other && other !== contact) return refused('400 email_taken', other.by === by ? { conflict: other.id } : {})
      change(contact, fields)
      return { outcome: '200' }
    },

    upsert(by: number, entries: Fields[], key: string | undefined, ids: string[]): Expected {
      const { before, refusal, keep } = useKey('upsert', by, key, JSON.stringify(entries.map(shownFields)))
      if (refusal) return refusal
      if (before) return { outcome: '200', data: before.data, replayed: true }
      const added = new Set<string>()
      const pointers = entries.flatMap(({ email = '', name }, index) => {
        const other = byKey(by, keyOf(email))
        if (other && other.by !== by) return [`/data/${index}/email`]
        if (other || added.has(keyOf(email))) return []
        if (name === undefined) return [`/data/${index}/name`]
        added.add(keyOf(email))
        return []
      })
      if (pointers.length > 0) return refused('400 invalid_request', { pointers })
      const data = entries.map((entry, index) => {
        const { email = '', ...others } = entry
        const found = byKey(by, keyOf(email))
        if (!found) return { index, id: add(by, ids[index] ?? '', entry).id }
        change(found, found.shown.email === email.trim() ? others : entry)
        return { index, id: found.id }
      })
      keep({ data })
      return { outcome: '200', data }
    },

    retrieve(by: number, id: string): Expected {
      const contact = own(by, id)
      return contact ? { outcome: '200', data: contact.shown } : notFound
    },

    delete(by: number, id: string): Expected {
      if (!own(by, id)) return notFound
      contacts.delete(id)
      for (const token of tokens) if (token.contactId === id) end(token, 'contact_deleted')
      for (const [name, stored] of storedKeys)
        if (stored.contactId === id) storedKeys.set(name, { ...stored, isErased: true })
      return { outcome: '204' }
    },

    signOut(by: number, id: string, key: string | undefined): Expected {
      const { before, refusal, keep } = useKey('signOut', by, key, id)
      if (refusal) return refusal
      // A repeated request leaves the tokens that were created since.
      if (before) return { outcome: '204', replayed: true }
      if (!own(by, id)) return notFound
      for (const token of tokens) if (token.contactId === id) end(token, 'token_revoked')
      keep({ contactId: id })
      return { outcome: '204' }
    },

    search(by: number, query: string, page: number, limit: number): Expected {
      const isPhone = (term: string) => digitsOf(term).length >= 3 && /^[\d +()./x#-]+$/.test(term)
      const words = isPhone(query.trim()) ? [query.trim()] : query.trim().split(/\s+/)
      const found = [...contacts.values()]
        .filter(({ by: owner, shown: { id, name, email, phone, mid, wid } }) => {
          if (owner !== by) return false
          return words.every(word => {
            if (normalized(name).includes(normalized(word))) return true
            if ([id, email, phone, mid, wid].some(text => asciiLower(text).includes(asciiLower(word)))) return true
            return isPhone(word) && [phone, wid].some(text => digitsOf(text).includes(digitsOf(word)))
          })
        })
        .map(({ shown }) => shown)
        .sort((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? 1 : -1))
      const total = found.length
      const totalPages = Math.ceil(total / limit)
      const pages = windowOf(page, totalPages)
      const startIndex = Math.min((page - 1) * limit, total)
      const data = found.slice(startIndex, startIndex + limit)
      const places = { startIndex, endIndex: startIndex + data.length - 1 }
      const ends = { startPage: pages[0] ?? 1, endPage: pages.at(-1) ?? 0 }
      return {
        outcome: '200',
        data: { data, pagination: { total, page, limit, totalPages, ...ends, ...places, pages } },
      }
    },

    /** `token` is the one that the platform issued, if any. */
    token(by: number, target: { id?: string; email?: string }, key: string | undefined, token: string): Expected {
      const { before, refusal, keep } = useKey('token', by, key, JSON.stringify(target))
      if (refusal) return refusal
      const byId = target.id === undefined ? undefined : own(by, target.id)
      const named = target.email === undefined ? undefined : byKey(by, keyOf(target.email))
      const byEmail = named?.by === by ? named : undefined
      if (!before) {
        if ((target.id !== undefined && !byId) || (target.email !== undefined && !byEmail)) return notFound
        if (byId && byEmail && byId !== byEmail) return refused('400 contact_mismatch')
      }
      // A repeated request revokes the token of the first one and issues another.
      if (before?.token) end(before.token, 'token_revoked')
      const contactId = before?.contactId ?? byId?.id ?? byEmail?.id ?? ''
      const expires = new Date(now)
      const expiresAt = expires.setUTCFullYear(expires.getUTCFullYear() + 1)
      const issued: KnownToken = { token, by, contactId, expiresAt }
      tokens.push(issued)
      keep({ contactId, token: issued })
      return { outcome: '201', data: { token, createdAt: time(now), expiresAt: time(expiresAt) } }
    },

    /** Both outcomes are correct: hash and reason are kept for 30 days, and an expired token may be revoked. */
    use(by: number, { by: owner, contactId, expiresAt, ended, endedAt = expiresAt }: KnownToken): Expected[] {
      if (owner !== by) return [refused('401 unauthorized')]
      const forgotten = now > Math.min(endedAt, expiresAt) + 30 * day ? [refused('401 unauthorized')] : []
      if (expiresAt <= now)
        return [refused('401 token_expired'), ...(ended ? [refused(`401 ${ended}`)] : []), ...forgotten]
      if (ended) return [refused(`401 ${ended}`), ...forgotten]
      return [{ outcome: '200', data: { id: contactId, name: contacts.get(contactId)?.shown.name } }]
    },

    revoke(by: number, token: KnownToken): Expected {
      if (token.by === by) end(token, 'token_revoked')
      return { outcome: '204' }
    },

    logout(by: number, token: KnownToken): Expected[] {
      const [first, ...others] = this.use(by, token)
      if (first?.outcome !== '200') return first ? [first, ...others] : []
      end(token, 'token_revoked')
      return [{ outcome: '204' }]
    },
  }
}

/** Decisions 3: at most ten pages, five before and four after, shifted at the ends. */
function windowOf(page: number, totalPages: number): number[] {
  const pages = Array.from({ length: totalPages }, (_, index) => index + 1)
  const start = Math.max(0, Math.min(page - 6, totalPages - 10))
  return pages.slice(start, start + 10)
}
