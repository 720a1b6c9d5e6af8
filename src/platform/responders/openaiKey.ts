import type { ResponderSettings } from '../../contract/index.ts'

export type OpenaiSettings = Extract<ResponderSettings, { kind: 'openai' }>

export const openaiUrl = 'https://api.openai.com/v1'

/** The platform's API key, and the base URL that it is for. */
export interface PlatformKey {
  key: string | undefined
  baseUrl: string
}

/**
 * The API key for the bot's endpoint: the bot's own key, or the platform's key if it is for the same base URL. A key must
 * not be sent to an endpoint that its owner did not name.
 */
export const keyFor = (
  { apiKey, baseUrl }: Pick<OpenaiSettings, 'apiKey' | 'baseUrl'>,
  platform: PlatformKey,
): string | undefined => apiKey ?? (isSameUrl(baseUrl, platform.baseUrl) ? platform.key : undefined)

/** Compares base URLs, with or without a slash at the end. */
export const isSameUrl = (a: string, b: string): boolean => canonical(a) === canonical(b)

const canonical = (url: string): string => (URL.parse(url)?.href ?? url).replace(/\/+$/, '')
