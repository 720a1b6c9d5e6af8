import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { BatchedResponse } from './batchedResponse.ts'

describe('BatchedResponse', () => {
  it('ends the responses of one iteration of the event loop together, after it', async () => {
    const responses = [1, 2].map(() => new BatchedResponse(new IncomingMessage(new Socket())))
    for (const response of responses) response.end('body')
    expect(responses.map(({ writableEnded }) => writableEnded)).toEqual([false, false])
    await new Promise(setImmediate)
    expect(responses.map(({ writableEnded }) => writableEnded)).toEqual([true, true])
  })

  it('ends the other responses of the iteration if one cannot be ended, and destroys that one', async () => {
    const [invalid, valid] = [1, 2].map(() => new BatchedResponse(new IncomingMessage(new Socket())))
    invalid?.on('error', () => {})
    invalid?.end(new Date())
    valid?.end('body')
    await new Promise(setImmediate)
    expect(invalid?.destroyed).toBe(true)
    expect(valid?.writableEnded).toBe(true)
  })
})
