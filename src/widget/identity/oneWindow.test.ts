import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, createAcme, graceToken, shown } from '../testing/fixtures.ts'

describe('two widgets in one window', () => {
  it.each([true, false])(
    'share the identity, and never send a message in the name of another contact (notified: %s)',
    async announced => {
      const { browser, said } = createAcme()
      const widgets = new Set<() => void>()
      const [one, other] = [browser.openTab({ widgets }), browser.openTab({ widgets })]
      await one.core.login(adaToken)
      await settle()
      expect(shown(other)).toEqual(['Dear Ada'])
      // One that has heard nothing looks before it sends.
      if (!announced) widgets.clear()
      await one.core.login(graceToken)
      await settle()
      expect(shown(other)).toEqual(announced ? ['Dear Grace'] : ['Dear Ada'])
      other.core.models.conversation.outbox.send('Grace speaking')
      await settle()
      expect(said(adaToken)).toHaveLength(1)
      expect(shown(other)[0]).toBe('Dear Grace')
      if (announced) expect(said(graceToken).at(-1)?.text).toBe('Grace speaking')
      await one.core.logout()
      await settle()
      if (announced) expect(shown(other)).toEqual([])
    },
  )
})
