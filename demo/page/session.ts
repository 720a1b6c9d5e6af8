/** Who is signed in to the shop, and the contact token of that session, if it has one. */
export interface ShopSession {
  name: string | null
  token: string | null
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
  async revoke(): Promise<void> {
    await ask('POST', '/api/revoke')
  },
}

async function ask(method: string, path: string): Promise<Response> {
  const response = await fetch(path, { method })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
  return response
}
