/** The platform's address, and credentials that only a server may have. */
export interface ShopOptions {
  baseUrl: string
  botId: string
  organizationToken: string
}
