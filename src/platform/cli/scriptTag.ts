import { option, readUrl } from './option.ts'

const example = 'https://chat.example'

/** The platform's address in the script tags that commands print. */
export const baseUrlOption = option('--base-url <URL>', "The platform's address, for the script tag")
  .argParser(readUrl)
  .default(example)
  .env('NATTER_BASE_URL')

/** The tag that embeds a bot. The accent is in it because the launcher is shown before the platform is asked anything. */
export function scriptTag(baseUrl: string, { id, accent = '' }: { id: string; accent?: string }): string {
  const color = accent === '' ? '' : ` data-accent="${accent}"`
  return `<script src="${baseUrl.replace(/\/+$/, '')}/natter.js" data-bot-id="${id}"${color} async></script>`
}

/** Says that the address in a tag is only an example, if it is; otherwise `''`. */
export const addressHint = (baseUrl: string): string =>
  readUrl(baseUrl) === readUrl(example)
    ? `natter: ${example} stands for the platform's address: name it with --base-url or NATTER_BASE_URL.\n`
    : ''
