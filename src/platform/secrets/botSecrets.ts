import type { KindSettings, SigningSecrets } from '../../contract/index.ts'
import type { Bot } from '../store/store.ts'
import type { SecretCipher } from './secretCipher.ts'

/** Returns the replacement of a secret. `context` identifies its use. */
type MapSecret = (secret: string, context: string) => string

/** The settings of a bot that contain secrets. */
export type SecretSettings = Pick<Bot, 'responder' | 'events'>

/**
 * Replaces each secret in the given settings of a bot. The context contains the bot's id, so that an encrypted secret does
 * not decrypt in another bot's row. The context of an API key also contains its base URL, so that the key is sent nowhere
 * else.
 */
function mapSecrets<Settings extends Partial<SecretSettings>>(
  botId: string,
  settings: Settings,
  map: MapSecret,
): Settings {
  const { responder, events } = settings
  return {
    ...settings,
    ...(responder && { responder: mapResponder(botId, responder, map) }),
    ...(events && { events: mapSigning(events, secret => map(secret, `events/${botId}`)) }),
  }
}

export const encryptSecrets = <Settings extends Partial<SecretSettings>>(
  { encrypt }: SecretCipher,
  botId: string,
  settings: Settings,
): Settings => mapSecrets(botId, settings, encrypt)

export const decryptSecrets = <Settings extends Partial<SecretSettings>>(
  { decrypt }: SecretCipher,
  botId: string,
  settings: Settings,
): Settings => mapSecrets(botId, settings, decrypt)

/** The secrets in the settings of a bot, as they are. */
export function listSecrets(botId: string, settings: Partial<SecretSettings>): string[] {
  const secrets: string[] = []
  mapSecrets(botId, settings, secret => {
    secrets.push(secret)
    return secret
  })
  return secrets
}

function mapResponder(botId: string, { unused, ...responder }: Bot['responder'], map: MapSecret): Bot['responder'] {
  const mapped = mapKind(botId, responder, map)
  return unused ? { ...mapped, unused: unused.map(each => mapKind(botId, each, map)) } : mapped
}

function mapKind(botId: string, responder: KindSettings, map: MapSecret): KindSettings {
  if (responder.kind === 'webhook') return mapSigning(responder, secret => map(secret, `webhook/${botId}`))
  if (responder.kind === 'openai' && responder.apiKey !== undefined)
    return { ...responder, apiKey: map(responder.apiKey, `openai/${botId}/${responder.baseUrl}`) }
  return responder
}

const mapSigning = <Signing extends SigningSecrets>(signing: Signing, map: (secret: string) => string): Signing => ({
  ...signing,
  secret: map(signing.secret),
  ...(signing.former && { former: { ...signing.former, secret: map(signing.former.secret) } }),
})
