import { option, readUrl } from './option.ts'

const example = 'https://chat.example'

/** The platform's address in the script tags that commands print. */
export const baseUrlOption = option('--base-url <URL>', "The platform's address, for the script tag")
  .argParser(readUrl)
  .default(example)
  .env('NATTER_BASE_URL')

/** Says that the address in a tag is only an example, if it is; otherwise `''`. */
export const addressHint = (baseUrl: string): string =>
  readUrl(baseUrl) === readUrl(example)
    ? `natter: ${example} stands for the platform's address: name it with --base-url or NATTER_BASE_URL.\n`
    : ''
