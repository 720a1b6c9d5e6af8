export type NotFound = 'not_found'

export interface BotScope {
  organizationId: string
  botId: string
}
export interface ContactScope extends BotScope {
  contactId: string
}

/** A request that may be repeated and must have one effect. */
export interface IdempotentRequest {
  /** Hash of the operation and the client's key, which is valid within its bot. */
  keyHash: string
  /** Hash of the body. */
  bodyHash: string
  /** Grows with each attempt of the client; 0 if it does not number them. */
  attempt: number
  at: string
  /** Until when repetitions are recognized. */
  expiresAt: string
}
/** The result of a request. `replayed`: it repeats an earlier one, which has had the effect. */
export interface IdempotentResult<Value> {
  value: Value
  replayed: boolean
}
/** Why a request with a key is not carried out. `superseded`: a later attempt of the same request has been decided. */
export type KeyRefused = 'key_reused' | 'superseded'

/** The place in a list after which a page begins: the value of its order, and the id. */
export interface ListPlace {
  at: string
  id: string
}
/** The page of a list that begins after a place; the first one without. */
export interface ListPage {
  after?: ListPlace
  limit: number
}
