import { hash } from 'node:crypto'

/**
 * A number for the visitors of one address, so that they share a part of a bot's answers. It has 16 bits only: each
 * number stands for tens of thousands of addresses, so that what is stored does not reveal any.
 */
export const visitorSource = (botId: string, address: string): number =>
  hash('sha256', `${botId} ${address}`, 'buffer').readUInt16BE(0)
