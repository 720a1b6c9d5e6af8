import type { VisitorSession } from '../../contract/index.ts'
import { message } from './streamed.ts'
import type { TestPlatform } from './testPlatform.ts'

/** Starts an anonymous session. Resolves to its token. */
export const visitor = async ({ call }: TestPlatform): Promise<string> => {
  const { data } = (await (await call('createVisitorSession')).json()) as { data: VisitorSession }
  return data.token
}
export const bodyOf = async <Data>(response: Response): Promise<Data> =>
  ((await response.json()) as { data: Data }).data

/** Sends a message as a visitor. Resolves to the message, its conversation's id and the visitor's token. */
export async function write(platform: TestPlatform) {
  const [sent, bearer] = [message(), await visitor(platform)]
  await platform.call('sendMessage', { bearer, body: sent })
  for await (const { id, lastMessage } of platform.client.conversations.list()) {
    if (lastMessage.id === sent.id) return { sent, bearer, conversationId: id }
  }
  throw new Error('The conversation is not listed')
}
