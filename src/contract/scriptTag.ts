// Imports nothing, so that the app of the desk does not load the schemas.

/** The tag that embeds a bot. The accent is in it because the launcher is shown before the platform is asked anything. */
export function scriptTag(baseUrl: string, { id, accent = '' }: { id: string; accent?: string }): string {
  const color = accent === '' ? '' : ` data-accent="${accent}"`
  return `<script src="${baseUrl.replace(/\/+$/, '')}/natter.js" data-bot-id="${id}"${color} async></script>`
}
