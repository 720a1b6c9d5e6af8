/** Where the app is, without the `/spa` that all of its addresses begin with. */
export interface Router {
  path(): string
  go(path: string): void
}

const base = '/spa'

/** Follows the browser's history, and every link of the page that stays in the app. */
export function createRouter(onChange: () => void): Router {
  const go = (path: string) => {
    history.pushState(null, '', base + path)
    arrive()
  }
  const arrive = () => {
    scrollTo(0, 0)
    onChange()
    // Else a screen reader says nothing of the new view, and the keyboard stays where a link was.
    document.querySelector<HTMLElement>('h1')?.focus()
  }
  addEventListener('popstate', arrive)
  document.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!link || !isPlain || link.origin !== location.origin || !link.pathname.startsWith(`${base}/`)) return
    event.preventDefault()
    go(link.pathname.slice(base.length))
  })
  return { path: () => location.pathname.slice(base.length) || '/', go }
}
