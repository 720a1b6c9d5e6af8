import * as v from 'valibot'
import { attachmentTypes, uploadSchema } from '../attachments.ts'
import * as desks from '../desk.ts'
import { botSettingsSchema, botUpdateSchema, maxBotUpdateBytes } from '../deskBots.ts'
import { numbersTimeLimitMs } from '../deskLimits.ts'
import { numbersQuerySchema, numbersSchema } from '../deskNumbers.ts'
import { admin, desk, type Route } from '../endpoint.ts'
import { maxAttachmentBytes } from '../limits.ts'
import { object } from '../validation.ts'

const ofConversation = '/conversations/{conversationId}'
const ofPerson = `${ofConversation}/person` as const
const ofMember = '/team/members/{memberId}'
const returning = <const Schema extends v.GenericSchema>(data: Schema) =>
  ({ status: 200, schema: object({ data }) }) as const
const nothing = { status: 204 } as const
const conversation = returning(desks.deskConversationSchema)
const note = returning(desks.noteSchema)

/** The endpoints of the desk. They are not in the OpenAPI document: only the desk of the same version calls them. */
export const deskEndpoints = {
  signIn: {
    ...desk('POST', '/session'),
    auth: 'desk',
    body: { schema: desks.signInSchema },
    success: returning(desks.deskSessionSchema),
  },
  retrieveSignInMethods: {
    ...desk('GET', '/session/methods'),
    auth: 'desk',
    success: returning(desks.signInMethodsSchema),
  },
  beginOidc: { ...desk('POST', '/session/oidc/begin'), auth: 'desk', success: returning(desks.oidcBeginSchema) },
  signInByOidc: {
    ...desk('POST', '/session/oidc'),
    auth: 'desk',
    // The platform asks the provider up to four times.
    timeLimitMs: 14_000,
    body: { schema: desks.oidcSignInSchema },
    success: returning(desks.deskSessionSchema),
  },
  lookAtInvitation: {
    ...desk('POST', '/invitations/look'),
    auth: 'desk',
    body: { schema: desks.invitationLookSchema },
    success: returning(desks.invitationSchema),
  },
  acceptInvitation: {
    ...desk('POST', '/invitations/accept'),
    auth: 'desk',
    body: { schema: desks.invitationAcceptSchema },
    success: returning(desks.deskSessionSchema),
  },
  /** A page asks it before it knows whose it is. */
  retrieveDeskSession: { ...desk('GET', '/session'), auth: 'signedIn', success: returning(desks.deskSessionSchema) },
  signOut: { ...desk('DELETE', '/session'), success: nothing },
  setPresence: { ...desk('PUT', '/presence'), body: { schema: desks.presenceSchema }, success: nothing },
  setViewing: { ...desk('PUT', '/viewing'), body: { schema: desks.viewingSchema }, success: nothing },
  streamDeskEvents: { ...desk('GET', '/events'), query: desks.streamQuerySchema, success: { status: 200 } },

  listSavedReplies: { ...desk('GET', '/saved-replies'), success: returning(v.array(desks.savedReplySchema)) },
  saveSavedReply: {
    ...desk('PUT', '/saved-replies/{savedReplyId}'),
    body: { schema: desks.savedReplyBodySchema },
    success: returning(desks.savedReplySchema),
  },
  deleteSavedReply: { ...desk('DELETE', '/saved-replies/{savedReplyId}'), success: nothing },

  listDeskConversations: {
    ...desk('GET', '/conversations'),
    query: desks.deskListSchema,
    success: { status: 200, schema: desks.deskConversationPageSchema },
  },
  countDeskConversations: { ...desk('GET', '/counts'), success: returning(desks.deskCountsSchema) },
  openConversation: { ...desk('GET', ofConversation), success: returning(desks.openedConversationSchema) },
  listConversationChanges: {
    ...desk('GET', `${ofConversation}/changes`),
    query: desks.changesQuerySchema,
    success: returning(desks.conversationChangesSchema),
  },
  listEarlierMessages: {
    ...desk('GET', `${ofConversation}/earlier`),
    query: desks.earlierQuerySchema,
    success: returning(desks.earlierMessagesSchema),
  },
  reply: {
    ...desk('POST', `${ofConversation}/messages`),
    body: { schema: desks.replySchema },
    success: returning(desks.deskMessageSchema),
  },
  removeMessage: { ...desk('DELETE', `${ofConversation}/messages/{messageId}`), success: nothing },
  addNote: { ...desk('POST', `${ofConversation}/notes`), body: { schema: desks.noteCreateSchema }, success: note },
  claim: { ...desk('POST', `${ofConversation}/claim`), body: { schema: desks.claimSchema }, success: conversation },
  handBack: { ...desk('POST', `${ofConversation}/hand-back`), success: conversation },
  close: { ...desk('POST', `${ofConversation}/close`), body: { schema: desks.closeSchema }, success: conversation },
  reopen: { ...desk('POST', `${ofConversation}/reopen`), success: conversation },
  signOutEverywhere: { ...desk('POST', `${ofPerson}/sign-out`), success: nothing },
  /** `POST`, because it is recorded. */
  exportPerson: {
    ...desk('POST', `${ofPerson}/export`),
    auth: 'admin',
    success: { status: 200, schema: desks.contactExportSchema },
  },
  erasePerson: { ...desk('DELETE', ofPerson), auth: 'admin', success: nothing },
  blockPerson: { ...desk('POST', `${ofPerson}/block`), success: nothing },
  keepDraft: { ...desk('PUT', `${ofConversation}/draft`), body: { schema: desks.draftSchema }, success: nothing },
  markSeen: { ...desk('POST', `${ofConversation}/seen`), body: { schema: desks.seenSchema }, success: nothing },
  showMemberTyping: { ...desk('POST', `${ofConversation}/typing`), success: nothing },
  uploadMemberFile: {
    ...desk('PUT', `${ofConversation}/attachments/{attachmentId}`),
    timeLimitMs: 300_000,
    upload: { maxBytes: maxAttachmentBytes },
    success: returning(uploadSchema),
  },
  downloadMemberFile: {
    ...desk('GET', `${ofConversation}/attachments/{attachmentId}`),
    timeLimitMs: 300_000,
    success: { status: 200, file: attachmentTypes },
  },

  retrieveTeam: { ...admin('GET', '/team'), success: returning(desks.teamSchema) },
  invite: {
    ...admin('POST', '/team/invitations'),
    body: { schema: desks.inviteSchema },
    success: returning(desks.invitedSchema),
  },
  withdrawInvitation: { ...admin('DELETE', '/team/invitations/{invitationId}'), success: nothing },
  updateMember: { ...admin('PUT', ofMember), body: { schema: desks.memberUpdateSchema }, success: nothing },
  removeMember: { ...admin('DELETE', ofMember), success: nothing },
  createPasswordLink: { ...admin('POST', `${ofMember}/password-link`), success: returning(desks.invitedSchema) },
  listMemberSessions: {
    ...admin('GET', `${ofMember}/sessions`),
    success: returning(v.array(desks.memberSessionSchema)),
  },
  endMemberSession: { ...admin('DELETE', `${ofMember}/sessions/{sessionId}`), success: nothing },
  listAudit: {
    ...admin('GET', '/audit'),
    query: desks.auditListSchema,
    success: { status: 200, schema: desks.auditPageSchema },
  },

  retrieveBotSettings: { ...admin('GET', '/bots/{botId}'), success: returning(botSettingsSchema) },
  updateBotSettings: {
    ...admin('PATCH', '/bots/{botId}'),
    body: { schema: botUpdateSchema, maxBytes: maxBotUpdateBytes },
    success: returning(botSettingsSchema),
  },

  retrieveNumbers: {
    ...admin('GET', '/numbers'),
    timeLimitMs: numbersTimeLimitMs,
    query: numbersQuerySchema,
    success: returning(numbersSchema),
  },
} satisfies Record<string, Route>
