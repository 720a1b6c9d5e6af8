/** The app's location, without the `/spa` prefix. */
export interface Router {
  path(): string
  go(path: string): void
}

const base = '/spa'

/** Follows the browser's history and all links within the app. */
export function createRouter(onChange: () => void): Router {
  const go = (path: string) => {
    history.pushState(null, '', base + path)
    onNavigate()
  }
  const onNavigate = () => {
    scrollTo(0, 0)
    onChange()
    // Otherwise a screen reader does not announce the new view, and the focus stays at the old link.
    document.querySelector<HTMLElement>('h1')?.focus()
  }
  addEventListener('popstate', onNavigate)
  document.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!link || !isPlain || link.origin !== location.origin || !link.pathname.startsWith(`${base}/`)) return
    event.preventDefault()
    go(link.pathname.slice(base.length))
  })
  return { path: () => location.pathname.slice(base.length) || '/', go }
}
