/** Who is signed in to the shop. */
export interface ShopSession {
  name: string | null
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
  /** The contact token of the shop's session; a new one if it is the one that has `ended`. `null`: nobody is signed in. */
  async chatToken(ended?: string): Promise<string | null> {
    const response = await ask('POST', '/api/chat-token', { ended }, 401)
    if (response.status === 401) return null
    const { data } = (await response.json()) as { data: { token: string } }
    return data.token
  },
  /** Ends the tokens of this session, or all of the contact's, or the contact itself. */
  async end(what: 'revoke' | 'sign-out-everywhere' | 'delete-contact'): Promise<void> {
    await ask('POST', `/api/${what}`)
  },
  async agent(doing: AgentDoing): Promise<void> {
    await ask('POST', '/api/agent', doing)
  },
}

/** Throws if the shop answers with another error than the `expected` one. */
async function ask(method: string, path: string, body?: object, expected?: number): Promise<Response> {
  const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await fetch(path, { method, ...json })
  if (response.ok || response.status === expected) return response
  const { title = '' } = (await response.json().catch(() => ({}))) as { title?: string }
  throw new Error(`${method} ${path}: ${response.status} ${title}`)
}
