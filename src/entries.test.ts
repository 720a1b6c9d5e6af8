import { describe, expect, it } from 'vitest'

const names = async (entry: Promise<object>): Promise<string[]> => Object.keys(await entry).sort()

describe('what each entry exports', () => {
  it('natter', async () => {
    expect(await names(import('./widget/index.ts'))).toMatchInlineSnapshot(`
      [
        "createWidget",
      ]
    `)
  })

  it('natter/element, which a server may import, too', async () => {
    expect(await names(import('./widget/element.ts'))).toEqual([])
  })

  it('natter/react, natter/vue and natter/svelte', async () => {
    expect(await names(import('./widget/frameworks/react.ts'))).toEqual(['NatterProvider', 'useNatter'])
    expect(await names(import('./widget/frameworks/vue.ts'))).toEqual(['useNatter'])
    expect(await names(import('./widget/frameworks/svelte.ts'))).toEqual(['useNatter'])
  })

  it('natter/sdk', async () => {
    expect(await names(import('./sdk/index.ts'))).toMatchInlineSnapshot(`
      [
        "ApiError",
        "NetworkError",
        "SdkError",
        "TimeoutError",
        "WebhookSignatureError",
        "createClient",
        "isApiError",
        "isNetworkError",
        "isSdkError",
        "isTimeoutError",
        "isWebhookSignatureError",
        "tokenHandler",
        "verifyWebhook",
      ]
    `)
  })

  it('natter/platform', async () => {
    expect(await names(import('./platform/index.ts'))).toMatchInlineSnapshot(`
      [
        "createBotRow",
        "createFaqResponder",
        "createNatsBus",
        "createPlatform",
        "createPostgresStore",
        "createResponders",
        "createSqliteStore",
        "issueOrganizationToken",
        "prepareDevelopment",
        "startPlatform",
        "startServer",
        "systemClock",
      ]
    `)
  })

  it('natter/testing', async () => {
    expect(await names(import('./testing/index.ts'))).toMatchInlineSnapshot(`
      [
        "Chat",
        "expectNothingLeft",
        "fixtures",
        "searchPage",
        "startTestPlatform",
      ]
    `)
  })

  it('natter/contract', async () => {
    expect(await names(import('./contract/index.ts'))).toMatchInlineSnapshot(`
      [
        "agentMessageSchema",
        "agentTypingSchema",
        "answersWhileWaitingChoices",
        "attachmentSchema",
        "attachmentTypes",
        "attachmentsSchema",
        "attributesSchema",
        "attributesUpdateSchema",
        "avatarSchema",
        "botProfileSchema",
        "botSettingsSchemas",
        "botTextSchemas",
        "codePoints",
        "conflictSchema",
        "contactAttributesSchema",
        "contactCreateSchema",
        "contactDataSchema",
        "contactFields",
        "contactListPageSchema",
        "contactListSchema",
        "contactSchema",
        "contactSearchSchema",
        "contactTokenCreateSchema",
        "contactTokenPattern",
        "contactTokenSchema",
        "contactUpdateSchema",
        "contactUpsertEntrySchema",
        "contactUpsertSchema",
        "conversationEvents",
        "conversationListSchema",
        "conversationPageSchema",
        "conversationSchema",
        "conversationStateSchema",
        "conversationStates",
        "dayHoursSchema",
        "defaultTimeLimitMs",
        "emailSchema",
        "endReasons",
        "endpoints",
        "errorCatalogue",
        "eventStreamRequestSchema",
        "fieldCodes",
        "fieldErrorSchema",
        "holidaySchema",
        "hoursSchema",
        "isEmail",
        "isSignedWebhook",
        "limitSchema",
        "maxAgentNameLength",
        "maxAgentPauseMs",
        "maxAttachmentBytes",
        "maxAttachmentNameLength",
        "maxAttachments",
        "maxBotTextLength",
        "maxGreetingLength",
        "maxHistory",
        "maxHolidays",
        "maxMessageLength",
        "maxQuickReplies",
        "maxQuickReplyLength",
        "maxSourceTitleLength",
        "maxSourceUrlLength",
        "maxSources",
        "maxStatusLength",
        "maxSubtitleLength",
        "maxUpsertEntries",
        "messageContextSchema",
        "messageCreateSchema",
        "messageIdPattern",
        "messageIdSchema",
        "messageListRequestSchema",
        "messageListSchema",
        "messagePageSchema",
        "messageRateSchema",
        "messageSchema",
        "messageTextSchema",
        "messageWithContextSchema",
        "midSchema",
        "nameSchema",
        "noncePattern",
        "nonceRequestSchema",
        "nonceSchema",
        "openapi",
        "openingSchema",
        "organizationTokenPattern",
        "paginate",
        "paginationSchema",
        "partnerSchema",
        "pathOf",
        "phoneSchema",
        "plainPhone",
        "problemSchema",
        "readSchema",
        "responderKinds",
        "routes",
        "searchNames",
        "senderSchema",
        "sessionSchema",
        "signWebhook",
        "signatureToleranceSeconds",
        "sourceInputSchema",
        "sourceSchema",
        "sourcesSchema",
        "stopSchema",
        "streamEventSchemas",
        "timeZoneSchema",
        "toFieldErrors",
        "tokenRequestSchema",
        "turnPieceSchema",
        "turnReplySchema",
        "turnRequestSchema",
        "uploadSchema",
        "upsertResultSchema",
        "upsertTimeLimitMs",
        "validate",
        "visitorEmailSchema",
        "visitorKinds",
        "visitorSessionSchema",
        "visitorTokenPattern",
        "webhookEnvelopeSchema",
        "webhookEventSchema",
        "weekdays",
        "widSchema",
      ]
    `)
  })
})
