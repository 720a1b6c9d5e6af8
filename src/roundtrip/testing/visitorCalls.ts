import type { VisitorSession } from '../../contract/index.ts'
import { dataOf } from '../../platform/testing/testTenants.ts'
import { message } from './streamed.ts'
import type { TestPlatform } from './testPlatform.ts'

/** Starts an anonymous session. Resolves to its token. */
export const visitor = async ({ call }: TestPlatform): Promise<string> =>
  (await dataOf<VisitorSession>(call('createVisitorSession'))).token

/** Sends a message as a visitor. Resolves to the message, its conversation's id and the visitor's token. */
export async function write(platform: TestPlatform) {
  const [sent, bearer] = [message(), await visitor(platform)]
  await platform.call('sendMessage', { bearer, body: sent })
  for await (const { id, lastMessage } of platform.client.conversations.list()) {
    if (lastMessage.id === sent.id) return { sent, bearer, conversationId: id }
  }
  throw new Error('The conversation is not listed')
}
