// The entry of the chunk of sites that know who the visitor is.

export { SiteSignIn } from './siteSignIn.ts'
export { exchangeToken } from './tokenExchange.ts'
