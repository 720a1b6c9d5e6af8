import { expectNothingLeftBehind, type Mode } from './destroyedWidget.ts'
import { expect, test } from './fixtures.ts'

const modes: Record<string, Mode> = {
  'in a target': {
    attributes: 'data-mode="inline" data-target="#chat"',
    body: '<div id="chat" style="height:480px"></div>',
    open: page => expect(page.getByRole('textbox')).toBeVisible(),
  },
  "behind the site's own launcher": {
    attributes: 'data-launcher=".help"',
    body: '<button class="help">Help</button>',
    open: page => page.locator('.help').click(),
  },
}

for (const [name, mode] of Object.entries(modes)) {
  test(`destroy() leaves nothing behind of a widget ${name}`, ({ browser, platform, client }) =>
    expectNothingLeftBehind(browser, platform, client, mode))
}
