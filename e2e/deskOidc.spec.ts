import { startOidcIssuer } from '../src/platform/testing/oidcIssuer.ts'
import { freePort } from '../src/testPort.ts'
import { findViolations } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { runCli, startPlatform } from './processes.ts'

test('an invited person joins the desk through a provider, whose code does not stay in the address', async ({
  page,
}) => {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const issuer = await startOidcIssuer(baseUrl)
  const platform = await startPlatform({
    port,
    variables: {
      NATTER_BASE_URL: baseUrl,
      NATTER_OIDC_ISSUER: issuer.client.issuer,
      NATTER_OIDC_CLIENT_ID: issuer.client.clientId,
      NATTER_OIDC_CLIENT_SECRET: issuer.client.clientSecret,
    },
  })
  const button = page.getByRole('button', { name: `Sign in with ${new URL(issuer.client.issuer).host}` })

  await test.step('somebody who is not invited reads why', async () => {
    issuer.account = { sub: 'eve', email: 'eve@shop.example', email_verified: true }
    await page.goto(`${baseUrl}/desk`)
    await expect(page.getByLabel('Password')).toHaveCount(0)
    await button.click()
    await expect(page.getByRole('alert')).toHaveText('Nobody has invited eve@shop.example: ask an admin of your team.')
    await expect(page).toHaveURL(`${baseUrl}/desk/waiting`)
    expect(await findViolations(page)).toEqual([])
  })

  await test.step('the link of the invitation leads to the provider, and back to the inbox', async () => {
    await page.context().clearCookies()
    issuer.account = { sub: 'ada', email: 'ada@shop.example', email_verified: true, name: 'Ada' }
    await page.goto(runCli(platform, 'desk', 'invite', 'ada@shop.example', '--base-url', baseUrl))
    await button.click()
    await expect(page.getByRole('region', { name: 'Conversations' })).toBeVisible()
    await expect(page).toHaveURL(`${baseUrl}/desk/waiting`)
    await page.reload()
    await page.getByRole('button', { name: 'Your account' }).click()
    await expect(page.getByText('ada@shop.example')).toBeVisible()
  })

  expect(platform.output()).not.toContain('code=')
  await platform.stop()
  await issuer.close()
})
