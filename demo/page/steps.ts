import type { WidgetHandle } from 'natter'

/** Ticks the steps of the tour as soon as they are done, in whichever way. */
export function createSteps(list: HTMLElement, natter: WidgetHandle): void {
  const tick = (step: string) => {
    const item = list.querySelector<HTMLElement>(`[data-step="${step}"]`)
    if (!item || item.dataset['done']) return
    item.dataset['done'] = 'true'
    const word = document.createElement('span')
    word.className = 'from'
    word.textContent = ' (done)'
    item.append(word)
  }
  natter.on('message', ({ author }) => {
    if (author === 'visitor' && natter.auth.state === 'anonymous') tick('ask')
  })
  natter.on('auth', ({ state, reason }) => {
    if (state === 'identified' && natter.auth.contacts.current?.name.startsWith('Ada')) tick('sign-in')
    if (reason === 'revoked') tick('revoke')
  })
}
