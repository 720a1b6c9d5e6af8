import * as v from 'valibot'
import { attachmentsSchema } from './attachments.ts'
import { contactAttributesSchema } from './attributes.ts'
import { contactSchema, emailSchema, nameSchema } from './contacts.ts'
import { conversationStates } from './conversations.ts'
import { deskFilterDays, deskViews, maxDeskQueryLength, maxSavedReplyTitle, passwordLength } from './deskLimits.ts'
import { maxAgentNameLength } from './limits.ts'
import { cursorSchema, limitSchema, nextSchema, positive } from './listQueries.ts'
import { contentMissing, formatSchema, hasContent } from './messageContent.ts'
import {
  maxMessageLength,
  messageIdSchema,
  messageTextSchema,
  messageWithContextSchema,
  partnerSchema,
  readSchema,
  streamEventSchemas,
} from './messages.ts'
import { fieldMessage, maxCodePoints, notEmpty, object, parameters, plainText, wholeNumber } from './validation.ts'

// What the desk at `/desk` and the platform agree on. Only the desk calls these endpoints, which take its cookie.

/** The role of a member. Admins see all bots of the organization, manage the team and read the audit list. */
export const memberRoles = ['admin', 'agent'] as const
export type MemberRole = (typeof memberRoles)[number]

/** The name of a member as the desk and visitors show it. */
export const memberNameSchema = v.pipe(nameSchema, maxCodePoints(maxAgentNameLength))

/** A member where only the name matters. */
export const memberSummarySchema = object({ id: v.string(), name: v.string() })
export type MemberSummary = v.InferOutput<typeof memberSummarySchema>

/** A bot as the desk lists it. */
export const deskBotSchema = object({
  id: v.string(),
  name: v.string(),
  attachments: v.boolean(),
  hasResponder: v.boolean(),
})
export type DeskBot = v.InferOutput<typeof deskBotSchema>

/** The signed-in member, and what it may see. */
export const deskSessionSchema = object({
  member: object({ ...memberSummarySchema.entries, email: v.string(), role: v.picklist(memberRoles) }),
  organization: object({ id: v.string(), name: v.string() }),
  bots: v.array(deskBotSchema),
  /** All members of the organization. */
  team: v.array(memberSummarySchema),
})
export type DeskSession = v.InferOutput<typeof deskSessionSchema>

const passwordSchema = v.pipe(
  v.string(),
  v.check(
    text => text.length >= passwordLength.min,
    fieldMessage('too_short', `Must have at least ${passwordLength.min} characters.`),
  ),
  maxCodePoints(passwordLength.max),
)

/** Body of sign in. The password has no minimum: a wrong one gets the same answer, however short it is. */
export const signInSchema = object({
  email: emailSchema,
  password: v.pipe(v.string(), maxCodePoints(passwordLength.max)),
})

/** How members sign in. */
export const signInMethodsSchema = object({
  passwords: v.boolean(),
  /** The host of the OpenID Connect provider; `null` without one. */
  provider: v.nullable(v.string()),
})
export type SignInMethods = v.InferOutput<typeof signInMethodsSchema>

/** Where the browser goes to sign in at the provider. */
export const oidcBeginSchema = object({ url: v.string() })
/** Body of sign in by OpenID Connect: the query with which the provider has sent the browser back. */
export const oidcSignInSchema = object({ response: v.pipe(v.string(), maxCodePoints(8192)) })

const invitationTokenSchema = v.pipe(v.string(), maxCodePoints(100))
/** Body of look at invitation. */
export const invitationLookSchema = object({ token: invitationTokenSchema })
/** Body of accept invitation. */
export const invitationAcceptSchema = object({
  token: invitationTokenSchema,
  name: memberNameSchema,
  password: passwordSchema,
})
/** An invitation as its page shows it. */
export const invitationSchema = object({
  email: v.string(),
  organization: v.string(),
  /** The name of the member who is to choose a new password; `null` if the email belongs to none yet. */
  name: v.nullable(v.string()),
  methods: signInMethodsSchema,
})
export type Invitation = v.InferOutput<typeof invitationSchema>

export type DeskView = (typeof deskViews)[number]

/** A message as only the desk may see it: `memberId` is the member who has written it. */
export const deskMessageSchema = object({ ...messageWithContextSchema.entries, memberId: v.optional(v.string()) })
export type DeskMessage = v.InferOutput<typeof deskMessageSchema>

/** A conversation in the inbox. Of two, that with the higher `version` is newer. */
export const deskConversationSchema = object({
  id: v.string(),
  botId: v.string(),
  version: v.number(),
  state: v.picklist(conversationStates),
  assignee: v.nullable(memberSummarySchema),
  contact: partnerSchema,
  waitingSince: v.nullable(v.string()),
  /** Until when the responder is silent, after a handover or an answer of the organization's own server. */
  pausedUntil: v.nullable(v.string()),
  /** `seq` of the last message that the visitor has read. */
  readSeq: v.number(),
  /** `seq` of the last message that a member has seen; lower when the visitor waits again. */
  seenSeq: v.number(),
  /** What the visitor waits for an answer to after `seenSeq`: messages, and wishes for a person. */
  unseen: v.number(),
  /** The last message that is no event, if there is one. */
  lastMessage: deskMessageSchema,
  lastMessageAt: v.string(),
  createdAt: v.string(),
})
export type DeskConversation = v.InferOutput<typeof deskConversationSchema>

/** A line of a text that a search has found. */
export const excerptSchema = object({ before: v.string(), match: v.string(), after: v.string() })
export type Excerpt = v.InferOutput<typeof excerptSchema>

/** `excerpts`: the line that a search has found, by the id of the conversation. Without a search there are none. */
export const deskConversationPageSchema = object({
  data: v.array(deskConversationSchema),
  next: nextSchema,
  excerpts: v.record(v.string(), excerptSchema),
})
export type DeskConversationPage = v.InferOutput<typeof deskConversationPageSchema>

/**
 * Query of the inbox: a view, restricted by each of the others. `query` finds words in messages and contacts. `owner` is a
 * member's id, or `nobody`; `days` since the last message.
 */
export const deskListSchema = parameters({
  view: v.optional(v.picklist(deskViews), 'all'),
  query: v.optional(v.pipe(v.string(), maxCodePoints(maxDeskQueryLength))),
  state: v.optional(v.picklist(conversationStates)),
  owner: v.optional(v.string()),
  bot: v.optional(v.string()),
  days: v.optional(v.picklist(deskFilterDays)),
  after: cursorSchema,
  limit: v.optional(limitSchema, '30'),
})

/** The number of conversations of each view, at most `maxDeskCount`. */
export const maxDeskCount = 1000
export const deskCountsSchema = object(
  Object.fromEntries(deskViews.map(view => [view, v.number()])) as Record<DeskView, v.NumberSchema<undefined>>,
)
export type DeskCounts = v.InferOutput<typeof deskCountsSchema>

/** What members have done to a conversation, in place of a note's text. */
export const noteEvents = ['claimed', 'handed_back', 'closed', 'reopened', 'released'] as const

/** An internal note, which only the team sees. It stands after the message with the seq `afterSeq`. */
export const noteSchema = object({
  id: v.string(),
  number: v.number(),
  afterSeq: v.number(),
  author: memberSummarySchema,
  text: v.string(),
  event: v.optional(v.picklist(noteEvents)),
  createdAt: v.string(),
})
export type Note = v.InferOutput<typeof noteSchema>

/** Who a visitor is: a contact that the site's server has verified, or a guest. */
export const personSchema = object({
  contact: v.nullable(contactSchema),
  /** When the site's server has created the oldest open contact token. */
  signedInSince: v.nullable(v.string()),
  /** Whether the guest is blocked. */
  isBlocked: v.boolean(),
  /** What the site's server has said of the contact. */
  verified: contactAttributesSchema.entries.attributes,
  /** What the page has said with the last message. Anyone can forge it. */
  claimed: contactAttributesSchema.entries.attributes,
  locale: v.nullable(v.string()),
  /** Where a guest can be answered. Only its owner can confirm it, by a link in an email. */
  email: v.nullable(object({ address: v.string(), isConfirmed: v.boolean() })),
  /** How the visitor has rated answers: how often, and the last time. */
  ratings: object({ up: v.number(), down: v.number(), last: v.nullable(v.picklist(['up', 'down'])) }),
})
export type Person = v.InferOutput<typeof personSchema>

/** What `natter contact export` prints. The desk saves it as it is. */
export const contactExportSchema = v.unknown()

/**
 * An opened conversation: its newest messages and notes in ascending order, the visitor, and the member's own drafts.
 * `knownSeq`: the last message when the member began the reply.
 */
export const openedConversationSchema = object({
  conversation: deskConversationSchema,
  messages: v.array(deskMessageSchema),
  revision: v.number(),
  notes: v.array(noteSchema),
  person: personSchema,
  drafts: object({ reply: v.string(), note: v.string(), knownSeq: v.number() }),
})
export type OpenedConversation = v.InferOutput<typeof openedConversationSchema>

/** Query of the changes of a conversation since it was read: messages after a seq, changes after a revision, notes after a number. */
export const changesQuerySchema = parameters({
  after: v.optional(positive('Messages after this `seq`.')),
  revision: v.optional(positive('Changed messages after this revision.')),
  notes: v.optional(positive('Notes after this number.')),
})
/** At most 100 of each list. If there are 100, ask again. */
export const conversationChangesSchema = object({
  conversation: deskConversationSchema,
  messages: v.array(deskMessageSchema),
  changes: v.array(streamEventSchemas['message.changed']),
  notes: v.array(noteSchema),
  person: personSchema,
})
export type ConversationChanges = v.InferOutput<typeof conversationChangesSchema>

/** Query of earlier messages: those below `before`, ascending, with the notes among them. */
export const earlierQuerySchema = parameters({ before: positive('Only messages with a smaller `seq`.') })
export const earlierMessagesSchema = object({ messages: v.array(deskMessageSchema), notes: v.array(noteSchema) })

const knownSeq = wholeNumber('`seq` of the last message that the member has seen.', 0)

/**
 * Body of a member's reply. It claims a conversation that nobody owns. `knownSeq` is the last message that the member has
 * seen: if somebody else of the team has answered since, the reply is refused (`answered_meanwhile`).
 */
export const replySchema = v.pipe(
  object({
    id: messageIdSchema,
    text: v.optional(messageTextSchema, ''),
    format: v.optional(formatSchema, 'markdown'),
    attachments: v.optional(attachmentsSchema, []),
    knownSeq,
  }),
  v.forward(v.partialCheck([['text'], ['attachments']], hasContent, contentMissing), ['text']),
)

/** Body of an internal note. */
export const noteCreateSchema = object({ id: messageIdSchema, text: v.pipe(messageTextSchema, notEmpty) })

/** Body of claim: who owns the conversation as far as the member knows, `null` for nobody. */
export const claimSchema = object({ from: v.nullable(v.string()) })

/** Body of close. Nothing happens if the visitor has written after `knownSeq`, the last message that the member has seen. */
export const closeSchema = object({ knownSeq })

/** Body of keep draft: the field that has changed. `''` deletes it. `knownSeq` is the last message when the reply was begun. */
export const draftSchema = object({
  reply: v.optional(v.pipe(v.string(), maxCodePoints(maxMessageLength))),
  note: v.optional(v.pipe(v.string(), maxCodePoints(maxMessageLength))),
  knownSeq: v.optional(knownSeq),
})

const savedReply = {
  title: v.pipe(plainText(maxSavedReplyTitle, 'one line'), notEmpty),
  text: v.pipe(messageTextSchema, notEmpty),
  /** Whether the whole team has it. Only admins write such ones. */
  isShared: v.boolean(),
}
/** A text that members insert into replies. The desk fills its variables in: `{{name}}`. */
export const savedReplySchema = object({ id: v.string(), ...savedReply })
export type SavedReply = v.InferOutput<typeof savedReplySchema>
/** Body of save saved reply. */
export const savedReplyBodySchema = object(savedReply)

/** Body of set presence. */
export const presenceSchema = object({ presence: v.picklist(['online', 'away']) })

/** Body of mark seen. */
export const seenSchema = readSchema

/** The id that a page of the desk has made up: a member may have several open. */
const pageId = v.optional(v.pipe(v.string(), maxCodePoints(36)), '')
/** Query of the event stream. `member`: whose page it is, as no header can say that. */
export const streamQuerySchema = parameters({ page: pageId, member: v.optional(v.string()) })
/**
 * Body of view: the conversation that the member looks at on a page, `null` for none. It counts while the page has an open
 * stream; send it again whenever the stream opens.
 */
export const viewingSchema = object({ page: pageId, conversationId: v.nullable(v.string()) })

/** What a member may do: `botIds` are the bots whose conversations it sees, `null` all of the organization, as for admins. */
const rights = { role: v.picklist(memberRoles), botIds: v.nullable(v.array(v.string())) }

/** A member as admins see it. */
export const teamMemberSchema = object({
  ...memberSummarySchema.entries,
  email: v.string(),
  ...rights,
  /** Whether it is at the desk, and has not said that it is away. */
  isOnline: v.boolean(),
  isAway: v.boolean(),
  /** When it was last active at the desk; `null` if never. */
  activeAt: v.nullable(v.string()),
})
export type TeamMember = v.InferOutput<typeof teamMemberSchema>

/** An invitation that nobody has accepted yet. */
export const openInvitationSchema = object({ id: v.string(), email: v.string(), ...rights, expiresAt: v.string() })
export type OpenInvitation = v.InferOutput<typeof openInvitationSchema>

export const teamSchema = object({ members: v.array(teamMemberSchema), invitations: v.array(openInvitationSchema) })
export type Team = v.InferOutput<typeof teamSchema>

/** Body of invite. */
export const inviteSchema = object({ email: emailSchema, ...rights })
/** The token of a link `/desk/invite#TOKEN`, which nothing shows again. */
export const invitedSchema = object({ token: v.string() })

/** Body of update member. If anything changes, the sessions of the member end. */
export const memberUpdateSchema = object(rights)

/** A session of a member. The id tells nothing of the token in its cookie. */
export const memberSessionSchema = object({
  id: v.string(),
  createdAt: v.string(),
  activeAt: v.string(),
  isCurrent: v.boolean(),
})
export type MemberSession = v.InferOutput<typeof memberSessionSchema>

/** What the audit list records. */
export const auditEvents = [
  ...(['signed_in', 'invited', 'invitation_withdrawn', 'member_changed', 'member_removed', 'session_ended'] as const),
  ...(['password_link'] as const),
  ...(['conversation_read', 'message_removed'] as const),
  ...(['exported', 'erased', 'erased_by_visitor', 'blocked', 'signed_out_everywhere'] as const),
] as const
export type AuditEvent = (typeof auditEvents)[number]

/** What a member has done. Without a member, the visitor has (`erased_by_visitor`), or somebody with the command line. */
export const auditEntrySchema = object({
  id: v.string(),
  event: v.picklist(auditEvents),
  member: v.nullable(memberSummarySchema),
  /** The name or the email of the person of the team whom it concerns. */
  about: v.nullable(v.string()),
  conversationId: v.nullable(v.string()),
  contactId: v.nullable(v.string()),
  /** The name of the contact now; `null` if it is erased or the visitor is a guest. */
  contactName: v.nullable(v.string()),
  createdAt: v.string(),
})
export type AuditEntry = v.InferOutput<typeof auditEntrySchema>
export const auditPageSchema = object({ data: v.array(auditEntrySchema), next: nextSchema })
export type AuditPage = v.InferOutput<typeof auditPageSchema>
/** Query of the audit list, newest first. */
export const auditListSchema = parameters({ after: cursorSchema, limit: v.optional(limitSchema, '50') })

/** The events of the desk's stream. */
export const deskEventSchemas = {
  /** The first event, and again every 15 seconds. Its `id:` says what the client has, so that nothing is lost when it resumes. */
  heartbeat: object({}),
  /** A conversation has changed. */
  conversation: deskConversationSchema,
  /** A conversation was erased with its contact. */
  gone: object({ conversationId: v.string() }),
  /** Somebody writes: a member, or the visitor if there is none. Shown for some seconds. */
  typing: object({ conversationId: v.string(), member: v.optional(memberSummarySchema) }),
  /** Who looks at a conversation. */
  viewers: object({ conversationId: v.string(), members: v.array(memberSummarySchema) }),
  /** Too much has happened for a replay: load everything again. */
  reset: object({}),
  /** The session has ended, or the member was removed. */
  'session.ended': object({}),
} as const
export type DeskEventName = keyof typeof deskEventSchemas
export type DeskEvent = {
  [Name in DeskEventName]: { event: Name; data: v.InferOutput<(typeof deskEventSchemas)[Name]> }
}[DeskEventName]
