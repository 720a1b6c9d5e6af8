import { hash } from 'node:crypto'

/**
 * A number for all visitors of one address, who share a part of a bot's answers. It has only 16 bits, so that each number
 * stands for tens of thousands of addresses and the stored number does not reveal the address.
 */
export const visitorSource = (botId: string, address: string): number =>
  hash('sha256', `${botId} ${address}`, 'buffer').readUInt16BE(0)
