import { createHmac, randomBytes } from 'node:crypto'
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
} from 'openid-client'
import { ownMachine } from '../../contract/validation.ts'
import type { Clock } from '../clock.ts'
import { loginLifetimeMs, type OidcProvider, signInRefused } from '../domain/oidc.ts'
import { type ProblemError, problem } from '../domain/problem.ts'
import { networkFailure } from '../webhooks/webhookHttp.ts'

export interface OidcClient {
  /** The address of the provider, as its tokens name it: with https, or of this machine. */
  issuer: string
  clientId: string
  clientSecret: string
}

export interface OidcProviderOptions extends OidcClient {
  /** The platform's public address. */
  baseUrl: string | undefined
  clock: Pick<Clock, 'now'>
  /** Called when the provider does not answer as it should. The reason contains no secret. */
  onFailure(failure: { provider: string; reason: string; code: string | undefined }): void
  /** For each request to the provider; default 3. */
  timeoutSeconds?: number
}

/** Creates the client of an OpenID Connect provider: code flow with PKCE. It asks the provider for its endpoints when it first needs them. */
export function createOidcProvider(options: OidcProviderOptions): OidcProvider {
  const { clientId, clientSecret, baseUrl, clock, timeoutSeconds = 3 } = options
  const issuer = new URL(options.issuer)
  const { host } = issuer
  const isLocal = ownMachine.includes(issuer.hostname)
  if (issuer.protocol !== 'https:' && !isLocal)
    throw new Error('The OpenID Connect provider needs an address with https')
  if (baseUrl === undefined) throw new Error('OpenID Connect needs the public address of the platform: --base-url')
  const redirectUri = new URL('/desk/oidc/callback', baseUrl).href

  let discovered: Promise<Configuration> | undefined
  const discover = (): Promise<Configuration> => {
    discovered ??= discovery(issuer, clientId, undefined, authenticateWith(clientSecret), {
      timeout: timeoutSeconds,
      execute: [enableNonRepudiationChecks, ...(isLocal ? [allowInsecureRequests] : [])],
    }).catch(error => {
      discovered = undefined
      throw error
    })
    return discovered
  }

  /**
   * What ties a response to the browser that has begun. It is derived from the cookie by the secret that all nodes have, so
   * nothing is stored, and a cookie that was changed fits no response.
   */
  function checksOf(login: string) {
    const derive = (use: string) => createHmac('sha256', clientSecret).update(`${use} ${login}`).digest('base64url')
    return { expectedState: derive('state'), expectedNonce: derive('nonce'), pkceCodeVerifier: derive('pkce') }
  }

  function explain(error: unknown): ProblemError {
    const answer = error instanceof AuthorizationResponseError || error instanceof ResponseBodyError ? error : undefined
    if (answer?.error === 'access_denied') return signInRefused(`${host} has not let you in.`)
    // The code was used before, or it is too old.
    if (answer?.error === 'invalid_grant') return loginExpired()
    const { message } = error as Error
    options.onFailure({ provider: host, reason: message, code: answer?.error ?? networkFailure(error) })
    return problem('unavailable', { detail: `${host} does not answer as it should. Please try again later.` })
  }

  return {
    host,
    async begin() {
      const login = `${clock.now() + loginLifetimeMs}.${randomBytes(32).toString('base64url')}`
      const { expectedState, expectedNonce, pkceCodeVerifier } = checksOf(login)
      const config = await discover().catch(error => {
        throw explain(error)
      })
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: expectedState,
        nonce: expectedNonce,
        code_challenge: await calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, login }
    },
    async identify(response, login = '') {
      const checks = checksOf(login)
      const isOpen = Number(login.split('.')[0]) > clock.now()
      if (!isOpen || new URLSearchParams(response).get('state') !== checks.expectedState) throw loginExpired()
      try {
        const config = await discover()
        const tokens = await authorizationCodeGrant(config, new URL(`${redirectUri}?${response}`), checks)
        const claims = tokens.claims()
        if (!claims) throw new Error('The provider has sent no ID token')
        const { iss, sub } = claims
        // Some providers keep the email out of the token.
        const person = claims['email'] ? claims : await fetchUserInfo(config, tokens.access_token, sub)
        const { email = '', email_verified, name = '' } = person
        return {
          issuer: iss,
          subject: sub,
          email: String(email),
          isEmailVerified: email_verified === true,
          name: String(name),
        }
      } catch (error) {
        throw explain(error)
      }
    },
  }
}

const loginExpired = (): ProblemError =>
  signInRefused('This sign-in took too long, or it began in another window. Please sign in again.')

/** Sends the secret in the way that the provider takes: in the body, or in a header. */
function authenticateWith(clientSecret: string): ClientAuth {
  const [inBody, inHeader] = [ClientSecretPost(clientSecret), ClientSecretBasic(clientSecret)]
  return (server, ...rest) => {
    const isBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post')
    return (isBody ? inBody : inHeader)(server, ...rest)
  }
}
