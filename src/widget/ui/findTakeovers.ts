import type { Message } from '../../contract/index.ts'

/** Who answers from a message on, if that is not who answered before: a person of the team, or the bot again. */
export type Takeover = 'agent' | 'bot'

/**
 * Finds the messages, by id, above which a line says who answers from now on. An event says so itself, so none is needed
 * after it. `isFromStart`: the first item is the first of the conversation. Otherwise the first agent may have joined
 * before.
 */
export function findTakeovers(
  items: readonly Pick<Message, 'id' | 'author' | 'sender' | 'event' | 'removedAt'>[],
  isFromStart: boolean,
): ReadonlyMap<string, Takeover> {
  const takeovers = new Map<string, Takeover>()
  // The agent who answers, `null` for the bot. It is unknown until one of them has answered.
  let agent: string | null | undefined = isFromStart ? null : undefined
  for (const { id, author, sender, event, removedAt } of items) {
    // Nobody knows who wrote a removed message.
    if (removedAt) continue
    if (event) agent = null
    else if (author === 'agent') {
      const name = sender?.name ?? ''
      if (agent !== undefined && agent !== name) takeovers.set(id, 'agent')
      agent = name
    } else if (author === 'bot') {
      if (typeof agent === 'string') takeovers.set(id, 'bot')
      agent = null
    }
  }
  return takeovers
}
