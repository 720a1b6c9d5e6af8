/** Who is signed in to the shop, and the contact token of that session, if it has one. */
export interface ShopSession {
  name: string | null
  token: string | null
}

/** What an agent of the shop's does: write, or write and take the conversation over from the bot, or give it back. */
export interface AgentDoing {
  do: 'write' | 'take-over' | 'hand-back'
  text?: string
  format?: 'plain' | 'markdown'
}

/** The shop's own server. */
export const shop = {
  async session(): Promise<ShopSession> {
    return (await ask('GET', '/api/session')).json()
  },
  async signIn(who: string): Promise<ShopSession> {
    return (await ask('POST', `/api/sign-in?as=${who}`)).json()
  },
  async signOut(): Promise<void> {
    await ask('POST', '/api/sign-out')
  },
  /** A new contact token for whoever is signed in. */
  async chatToken(): Promise<string> {
    const { data } = (await (await ask('POST', '/api/chat-token')).json()) as { data: { token: string } }
    return data.token
  },
  /** Ends the tokens of this session, or all of the contact's, or the contact itself. */
  async end(what: 'revoke' | 'sign-out-everywhere' | 'delete-contact'): Promise<void> {
    await ask('POST', `/api/${what}`)
  },
  async agent(doing: AgentDoing): Promise<void> {
    await ask('POST', '/api/agent', JSON.stringify(doing))
  },
}

async function ask(method: string, path: string, body?: string): Promise<Response> {
  const response = await fetch(path, { method, ...(body && { body, headers: { 'content-type': 'application/json' } }) })
  if (response.ok) return response
  const { title = '' } = (await response.json().catch(() => ({}))) as { title?: string }
  throw new Error(`${method} ${path}: ${response.status} ${title}`)
}
