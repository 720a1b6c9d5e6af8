import type { Page } from '@playwright/test'
import { findViolations } from './axe.ts'
import { type Chat, expect, type FakeSite, openWithHtml } from './fakeSite.ts'

/** Opens a page with this body. */
export async function openPage(
  page: Page,
  fakeSite: FakeSite,
  { head = '', body = '', attributes = '' },
): Promise<void> {
  await openWithHtml(page, fakeSite, {
    head: `<title>Host</title><meta name="viewport" content="width=device-width">${head}`,
    body: `${body}<script src="/natter.js" data-bot-id="bot" ${attributes}></script>`,
  })
  await expect(chatHost(page)).toHaveCount(1)
}

const chatHost = (page: Page) => page.locator('[data-natter]')

/** Whether a click on its centre would reach it. */
export const isOnTop = (chat: Chat, part: 'panel' | 'launcher'): Promise<boolean> =>
  chat[part].evaluate(element => {
    const { x, y, width, height } = element.getBoundingClientRect()
    const hit = (element.getRootNode() as ShadowRoot).elementFromPoint(x + width / 2, y + height / 2)
    return element.contains(hit)
  })

export const isInTopLayer = (page: Page): Promise<boolean> =>
  chatHost(page).evaluate(host => !!host.shadowRoot?.querySelector(':modal, :popover-open'))

/** Runs axe, because the panel is in the top layer only here. */
export async function expectAccessible(page: Page, chat: Chat): Promise<void> {
  // Wait for the fade-in. Otherwise axe measures contrast against what is behind the panel.
  await chat.panel.evaluate(panel => Promise.all(panel.getAnimations().map(animation => animation.finished)))
  expect(await findViolations(page)).toEqual([])
}

/** An alertdialog, to distinguish it from the widget's dialog. */
export const dialog = `<button onclick="document.querySelector('dialog').showModal()">Check out</button>
  <dialog role="alertdialog" aria-label="Checkout">
    <input aria-label="Card"> <button onclick="Natter.open()">Ask us</button>
    <button onclick="this.closest('dialog').close()">Done</button>
  </dialog>`
