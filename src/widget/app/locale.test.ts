import { afterEach, describe, expect, it, vi } from 'vitest'
import { textsIn } from '../i18n/locales.ts'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, createAcme } from '../testing/fixtures.ts'
import type { AppSettings } from './appSettings.ts'

afterEach(() => vi.restoreAllMocks())

describe('the language of the core', () => {
  it('is English at first, and the chosen one when its translation is loaded', async () => {
    const { browser } = createAcme()
    vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['de-AT', 'en-GB'])
    const english = browser.openTab({ locale: 'en' }).core.models
    expect([english.areStringsReady.value, english.strings.value.close, english.strings.value.lang]).toEqual([
      true,
      'Close chat',
      'en-GB',
    ])
    const renderLauncher = vi.fn<AppSettings['renderLauncher']>()
    const german = browser.openTab({ locale: 'de', renderLauncher }).core.models
    expect([german.areStringsReady.value, german.strings.value.close]).toEqual([false, 'Close chat'])
    await expect.poll(() => german.areStringsReady.value).toBe(true)
    expect([german.strings.value.close, german.strings.value.lang]).toEqual(['Chat schließen', 'de-AT'])
    const failures = renderLauncher.mock.calls.map(([{ texts }]) => texts.panelFailed)
    expect(failures).toEqual(['Der Chat konnte nicht geladen werden. Erneut versuchen'])
  })

  it('starts in English without an `Intl` object, because the first one of a page takes long', () => {
    const constructors = ['Locale', 'Collator', 'DateTimeFormat', 'NumberFormat', 'PluralRules'] as const
    const spies = constructors.map(name => vi.spyOn(Intl, name))
    const { models } = createAcme().browser.openTab({ locale: 'en-GB,en' }).core
    expect(models.areStringsReady.value).toBe(true)
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  })

  it("writes numbers and dates correctly whatever language the site's own strings name", () => {
    const { models } = createAcme().browser.openTab({ strings: { lang: 'en_US' } as object, locale: 'en_US' }).core
    expect(models.strings.value.lang).toBe('en-US')
  })

  it('is the last one that was set, in whichever order translations load', async () => {
    const { models } = createAcme().browser.openTab().core
    for (const tag of ['ar', 'de', 'fr', 'en']) models.setLocale(tag)
    await vi.dynamicImportSettled()
    expect([models.strings.value.close, models.strings.value.dir]).toEqual(['Close chat', 'ltr'])
    models.setLocale('ar')
    await expect.poll(() => models.strings.value.dir).toBe('rtl')
  })

  it("keeps the site's own strings in every language", async () => {
    const { models } = createAcme().browser.openTab({ strings: { close: 'Zu' } }).core
    expect(models.strings.value.close).toBe('Zu')
    models.setLocale('de')
    await expect.poll(() => models.strings.value.send).toBe('Senden')
    expect(models.strings.value.close).toBe('Zu')
  })

  it('is sent with each message, once it is shown', async () => {
    const { browser, platform } = createAcme()
    vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['de-AT'])
    const loading = Promise.withResolvers<{ textsIn: typeof textsIn }>()
    const { models, login } = browser.openTab({ start: false, locale: 'de', locales: () => loading.promise }).core
    await login(adaToken)
    await settle()
    const sent = () =>
      platform.log
        .filter(({ method, path }) => method === 'POST' && path === '/messages')
        .map(({ body }) => (body as { locale?: string }).locale)
    models.conversation.outbox.send('Hallo')
    await settle()
    expect(sent()).toEqual([undefined])
    loading.resolve({ textsIn })
    await expect.poll(() => models.areStringsReady.value).toBe(true)
    models.conversation.outbox.send('Servus')
    await settle()
    models.setLocale('fr')
    await expect.poll(() => models.strings.value.lang).toBe('fr')
    models.conversation.outbox.send('Bonjour')
    await settle()
    expect(sent()).toEqual([undefined, 'de-AT', 'fr'])
  })

  it('is English if the translation fails to load, which is retried when the panel opens', async () => {
    let fails = true
    const locales = async () => {
      if (fails) throw new TypeError('Failed to fetch dynamically imported module')
      return { textsIn }
    }
    const { core } = createAcme().browser.openTab({ locale: 'de', locales })
    await expect.poll(() => core.models.areStringsReady.value).toBe(true)
    expect(core.models.strings.value.close).toBe('Close chat')
    fails = false
    core.setOpen(true)
    await expect.poll(() => core.models.strings.value.close).toBe('Chat schließen')
  })

  it('fetches its texts once, however often the panel is opened', async () => {
    const locales = vi.fn(async () => ({ textsIn }))
    const { core } = createAcme().browser.openTab({ locale: 'de', locales })
    await expect.poll(() => core.models.areStringsReady.value).toBe(true)
    for (const isOpen of [true, false, true]) core.setOpen(isOpen)
    expect(locales).toHaveBeenCalledTimes(1)
  })

  it('delays the panel by at most one second', async () => {
    const { browser } = createAcme()
    const { models } = browser.openTab({ locale: 'de', locales: () => new Promise(() => {}) }).core
    expect(models.areStringsReady.value).toBe(false)
    await browser.clock.advance(1000)
    expect(models.areStringsReady.value).toBe(true)
  })
})
