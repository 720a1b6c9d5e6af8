import type { JSX } from 'preact'
import type { Shop } from './shop.ts'
import { Help, NotFound, Orders, Products, SignIn } from './views.tsx'

const views: Record<string, { title: string; View: (shop: Shop) => JSX.Element }> = {
  '/': { title: 'The collection', View: () => <Products /> },
  '/orders': { title: 'Your orders', View: Orders },
  '/help': { title: 'Help', View: Help },
  '/sign-in': { title: 'Sign in', View: SignIn },
}
const listed = ['/', '/orders', '/help']

export function App(shop: Shop): JSX.Element {
  const { router, customer } = shop
  const path = router.path()
  const { title, View } = views[path] ?? { title: 'Not found', View: NotFound }
  document.title = `${title} · Acme Outfitters`
  return (
    <div class="shop">
      <header class="bar">
        <a class="brand" href="/spa/">
          <img src="/page/art/mark.svg" width="28" height="28" alt="" />
          Acme Outfitters
        </a>
        <nav class="account" aria-label="Main">
          {listed.map(to => (
            <a key={to} href={`/spa${to}`} aria-current={to === path ? 'page' : undefined}>
              {views[to]?.title}
            </a>
          ))}
        </nav>
        <div class="account">
          {customer.name() ? (
            <>
              <strong>{customer.name()}</strong>
              <button type="button" class="quiet" onClick={() => signOut(shop)}>
                Sign out
              </button>
            </>
          ) : (
            <a class="quiet" href="/spa/sign-in">
              Sign in
            </a>
          )}
        </div>
      </header>
      <main>
        <h1 tabIndex={-1}>{title}</h1>
        <View {...shop} />
        {path !== '/' && (
          <section class="also" aria-labelledby="also">
            <h2 id="also">From the collection</h2>
            <Products limit={3} />
          </section>
        )}
      </main>
      <footer>
        <p>
          The shop as a single-page app: <code>import {'{ createWidget }'} from 'natter'</code>, built by Vite. The chat
          is <span data-testid="session-state">{customer.chatState()}</span>.{' '}
          <a href="/">The shop with a script tag, and what goes on behind it</a>
        </p>
      </footer>
    </div>
  )
}

function signOut({ customer, router }: Shop): void {
  customer.signOut().catch(console.error)
  router.go('/')
}
