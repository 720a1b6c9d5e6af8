/** The fragment that opens the chat. */
const chatHash = '#natter'

/**
 * Opens the chat if the page's address ends in `#natter`, now or later, so that an email or a link of the page can lead to
 * it. `abortSignal` stops it.
 */
export function openByHash(open: () => void, abortSignal: AbortSignal): void {
  if (abortSignal.aborted) return
  const openIfAddressed = () => {
    if (location.hash === chatHash) open()
  }
  // A second click on the same link fires only `popstate`.
  for (const event of ['hashchange', 'popstate']) addEventListener(event, openIfAddressed, { signal: abortSignal })
  openIfAddressed()
}
