// The entry of the chunk of sites that know who the visitor is.

export { renewToken } from './renewToken.ts'
export { SiteSignIn } from './siteSignIn.ts'
