import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
// @ts-expect-error The package has no types.
import Provider from 'oidc-provider'
import { startLocalServer } from '../../testServer.ts'

/** What the provider says of the person who signs in there. */
export interface TestAccount {
  sub: string
  email: string
  email_verified: boolean
  name?: string
}

/** A real OpenID Connect provider on this machine. */
export interface TestIssuer {
  client: { issuer: string; clientId: string; clientSecret: string }
  /** Who signs in; `null` if the person cancels. */
  account: TestAccount | null
  /** Answers in place of the provider, if it returns `true`. */
  intercept(request: IncomingMessage, response: ServerResponse): boolean
  /** Signs in there as a browser does. Resolves to the query with which the provider sends the browser back. */
  visit(url: string): Promise<string>
  close(): Promise<void>
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/**
 * Starts a provider for the platform at `baseUrl`. `conformIdTokenClaims`: the email is not in the token, only in the user info.
 */
export async function startOidcIssuer(baseUrl: string, { conformIdTokenClaims = false } = {}): Promise<TestIssuer> {
  const [clientId, clientSecret] = ['desk', 'the-secret-of-the-client']
  const server = await startLocalServer((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    if (issuer.intercept(request, response)) return
    if (!path.startsWith('/interaction/')) return provider.callback()(request, response)
    const { account } = issuer
    const result = account ? { login: { accountId: account.sub } } : { error: 'access_denied' }
    return provider.interactionFinished(request, response, result)
  })
  const client = { issuer: server.url, clientId, clientSecret }
  const issuer: TestIssuer = { client, account: null, intercept: () => false, visit, close: server.close }

  const scope = 'openid email profile'
  // It warns that it forgets everything when it ends.
  const { warn } = console
  console.warn = () => {}
  const provider = new Provider(server.url, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${baseUrl}/desk/oidc/callback`],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [privateKey.export({ format: 'jwk' })] },
    cookies: { keys: ['a key'] },
    conformIdTokenClaims,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => issuer.account }),
    // Nobody is asked whether the desk may know the email.
    async loadExistingGrant({ oidc }: { oidc: Record<string, { clientId: string; accountId: string }> }) {
      const grant = new provider.Grant({ clientId, accountId: oidc['session']?.accountId })
      grant.addOIDCScope(scope)
      await grant.save()
      return grant
    },
  })
  console.warn = warn

  async function visit(url: string): Promise<string> {
    const cookies = new Map<string, string>()
    for (let next = url; next.startsWith(server.url); ) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await fetch(next, { redirect: 'manual', headers: { cookie } })
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        cookies.set(name, value)
      }
      const location = answer.headers.get('location')
      if (!location) throw new Error(`${answer.status} ${await answer.text()}`)
      next = new URL(location, next).href
      if (!next.startsWith(server.url)) return new URL(next).search.slice(1)
    }
    throw new Error('The provider was not visited.')
  }
  return issuer
}
