import { describe, expect, it } from 'vitest'
import { settle } from '../../testing/fakeClock.ts'
import { filesOf, loadModel, textFile } from '../../testing/fileFixtures.ts'
import { adaToken } from '../../testing/fixtures.ts'
import { createSiteWithAda } from '../../testing/siteFixtures.ts'

describe('an upload', () => {
  it.each(['in the composer', 'of a message'])(
    'is stopped while the site is asked whose session it is: of a file %s',
    async where => {
      const { platform, site, respond, tab, browser, said } = await createSiteWithAda()
      const model = await loadModel(tab)
      const signals: (AbortSignal | null | undefined)[] = []
      platform.intercept = (method, _, { signal }) => {
        if (method !== 'PUT') return undefined
        signals.push(signal)
        return new Promise(() => {})
      }
      model.add([textFile('a.txt')])
      const send = () => tab.core.models.conversation.outbox.send('See this', { files: model.takeDraft() })
      if (where === 'of a message') send()
      await settle()
      expect(signals.map(signal => signal?.aborted)).toEqual([false])
      const answer = site.holdAnswer()
      void tab.core.models.signIn.refresh()
      await settle()
      expect(signals.map(signal => signal?.aborted)).toEqual([true])
      await browser.clock.advance(5000)
      expect(signals).toHaveLength(1)
      platform.intercept = () => undefined
      if (where === 'in the composer') send()
      answer(respond(204))
      await browser.clock.advance(5000)
      expect(filesOf(said(adaToken))).toEqual(['a.txt'])
    },
  )
})
