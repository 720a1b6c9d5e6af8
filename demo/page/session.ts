/** Who is signed in to the shop. */
export interface ShopSession {
  name: string | null
}

/**
 * What an agent of the shop does in the conversation: write, with or without sources or files, remove the last message, or
 * hand the conversation back to the bot.
 */
export type AgentAction =
  | { do: 'write' | 'write-with-sources' | 'send-files'; text: string }
  | { do: 'remove' | 'hand-back' }

/** Client of the shop's server. */
export const shop = {
  async session(): Promise<ShopSession> {
    return (await request('GET', '/api/session')).json()
  },
  async signIn(who: string): Promise<ShopSession> {
    return (await request('POST', `/api/sign-in?as=${who}`)).json()
  },
  async signOut(): Promise<void> {
    await request('POST', '/api/sign-out')
  },
  /** A new contact token of whoever is signed in. The widget gets its own. */
  async contactToken(): Promise<string> {
    const response = await request('POST', '/api/contact-token', { contact: null, token: 'none' })
    const { data } = (await response.json()) as { data: { token: string } }
    return data.token
  },
  /** Revokes the tokens of this session or of the contact, deletes the contact, or ends the session on the server. */
  async end(what: 'revoke' | 'sign-out-everywhere' | 'delete-contact' | 'expire-session'): Promise<void> {
    await request('POST', `/api/${what}`)
  },
  async agent(action: AgentAction): Promise<void> {
    await request('POST', '/api/agent', action)
  },
}

/** Throws if the response is an error. */
async function request(method: string, path: string, body?: object): Promise<Response> {
  const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await fetch(path, { method, ...json })
  if (response.ok) return response
  const { title = '' } = (await response.json().catch(() => ({}))) as { title?: string }
  throw new Error(`${method} ${path}: ${response.status} ${title}`)
}
