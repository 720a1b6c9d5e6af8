import { createLog } from './page/log.ts'
import { type ShopSession, shop } from './page/session.ts'
import { watchTraffic } from './page/traffic.ts'

type Natter = typeof window.Natter

const find = (selector: string) => document.querySelector<HTMLElement>(selector) as HTMLElement
const log = createLog(find('[data-log]'))
const say = (text: string) => log.add({ lane: 'event', text })
watchTraffic(log.add)

let session: ShopSession = { name: null, token: null }
let turn: Promise<unknown> = Promise.resolve()
let waiting = 0

widget().then(run, () => {
  find('[data-session]').textContent = 'not available: the script of the chat could not be loaded'
})

/** The widget, as soon as its script is there. */
function widget(): Promise<Natter> {
  const script = find('#natter')
  return new Promise((resolve, reject) => {
    if (window.Natter) return resolve(window.Natter)
    script.addEventListener('load', () => resolve(window.Natter))
    script.addEventListener('error', reject)
  })
}

async function run(natter: Natter): Promise<void> {
  const paint = () => show(natter)
  const actions: Record<string, (button: HTMLElement) => unknown> = {
    'sign-in': ({ dataset }) => signIn(natter, dataset['as'] ?? ''),
    'sign-out': () => signOut(natter),
    'open-chat': () => natter.open(),
    'open-tab': () => window.open('/', '_blank', 'noopener'),
    'clear-log': log.clear,
    revoke: () => shop.revoke(),
  }
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-do]') : null
    const action = actions[button?.dataset['do'] ?? '']
    if (button && action) void inTurn(() => action(button)).then(paint)
  })

  const refresh = async () => {
    session = await shop.session()
    paint()
  }
  natter.on('auth', ({ state, reason }) => {
    // No names: what is written here stays on the page after signing out.
    say(`auth: ${state} (${reason})`)
    paint()
    // Another tab, or the platform, has decided: has the shop's session changed too?
    if (!waiting && state !== 'identifying') void inTurn(refresh)
  })
  for (const event of ['ready', 'open', 'close', 'show', 'hide'] as const) natter.on(event, () => say(event))
  natter.on('message', ({ author, seq }) => say(`message: ${author}, number ${seq}`))
  natter.on('unread', ({ count }) => say(`unread: ${count}`))
  natter.on('error', ({ code }) => say(`error: ${code}`))

  // A page that the browser keeps for its Back button must not show who was signed in.
  addEventListener('pagehide', () => {
    session = { name: null, token: null }
    paint()
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void inTurn(refresh)
  })

  await inTurn(async () => {
    await refresh()
    if (session.name) await login(natter)
  })
  paint()
}

/** One thing after the other, so that no click is lost; what fails is said in the log. */
async function inTurn(action: () => unknown): Promise<void> {
  waiting++
  turn = turn.then(action).catch(error => say(error instanceof Error ? error.message : String(error)))
  await turn
  waiting--
}

async function signIn(natter: Natter, who: string): Promise<void> {
  if (session.name) await signOut(natter)
  session = await shop.signIn(who)
  await login(natter)
}

async function signOut(natter: Natter): Promise<void> {
  // The chat first: it clears itself at once, whatever becomes of the request to the shop.
  const cleared = natter.auth.contacts.logout()
  session = { name: null, token: null }
  show(natter)
  await shop.signOut()
  await cleared
}

/** On every load the widget gets the token of the shop's session, and a new one where that has ended. */
async function login(natter: Natter): Promise<void> {
  const kept = session.token
  session.token ??= await shop.chatToken()
  try {
    await natter.auth.contacts.login({ token: session.token })
  } catch (error) {
    session.token = null
    const isEnded = error instanceof Error && 'code' in error && error.code === 'token_invalid'
    if (!kept || !isEnded) throw error
    await login(natter)
  }
}

function show({ auth }: Natter): void {
  const { state, contacts } = auth
  const isIdentified = state === 'identified'
  if (state === 'anonymous') session.token = null
  find('[data-state]').dataset['state'] = state
  find('[data-session]').textContent = isIdentified ? `identified as ${contacts.current?.name}` : state
  find('[data-token]').textContent = session.token ? `${session.token.slice(0, 6)}${'•'.repeat(10)}` : 'none'
  find('[data-shop]').textContent = session.name ? `${session.name} signed in` : 'nobody signed in'
  find('[data-customer]').textContent = session.name
  for (const element of document.querySelectorAll<HTMLElement>('[data-when]')) {
    element.hidden = (element.dataset['when'] === 'somebody') !== (session.name !== null)
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>('.controls button')) {
    const { do: action } = button.dataset
    button.disabled = (action === 'sign-out' && !session.name) || (action === 'revoke' && !isIdentified)
  }
}
