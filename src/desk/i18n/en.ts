import type { PluralForms } from './format.ts'

const plural = (forms: PluralForms): PluralForms => forms

/** The texts of the desk. `{…}` is a placeholder. */
export const en = {
  lang: 'en',
  dir: 'ltr',

  app: {
    title: 'Desk',
    retry: 'Try again',
    loading: 'Loading…',
  },

  inbox: {
    newRows: plural({ one: '{count} new', other: '{count} new' }),
  },

  /** The opened conversation. */
  conversation: {
    loading: 'Loading the conversation…',
    retry: 'Try again',
    loadFailed: 'This conversation couldn’t be loaded.',
    missing: 'This conversation doesn’t exist, or it isn’t yours to see.',
    back: 'Back to the list',
    thread: 'Conversation',
    log: 'Messages with {name}',
    guest: 'Guest',
    you: 'You',
    team: 'Team',
    bot: 'Bot',

    /** Who answers, below the name. */
    byBot: 'The bot is answering',
    byServer: 'Your server answers until {time}',
    waiting: 'Waiting for {duration}',
    byYou: 'You are answering',
    byMember: '{name} is answering',
    closed: 'Closed',
    viewers: '{names} is looking, too',
    manyViewers: '{names} are looking, too',

    claim: 'Take over',
    handBack: 'Hand back',
    close: 'Close',
    reopen: 'Reopen',
    actionFailed: 'That didn’t work. Please try again.',

    loadingOlder: 'Loading earlier messages…',
    olderFailed: 'Earlier messages couldn’t be loaded.',
    jump: 'Jump to the latest message',
    newBelow: 'New messages',
    today: 'Today',
    yesterday: 'Yesterday',
    /** What has happened, between the messages. */
    events: {
      handed_back: 'The bot answers again',
      handover_requested: 'The visitor asked for a person',
      handover_expired: 'Nobody answered in time. The bot answers again',
    },
    noteEvents: {
      claimed: '{name} took over',
      handed_back: '{name} handed back to the bot',
      closed: '{name} closed the conversation',
      reopened: '{name} reopened the conversation',
      released: '{name} was away, so the visitor waits again',
    },
    noteLabel: 'Only your team sees this',
    noteOf: 'Note by {name}',
    removed: 'This message was removed.',
    seen: 'Seen',
    sent: 'Sent',
    ratedUp: 'Rated helpful',
    ratedDown: 'Rated not helpful',
    sources: 'Sources',
    sending: 'Sending…',
    waitingToSend: 'Will be sent when you’re back',
    notSent: 'Not sent.',
    edit: 'Edit',
    visitorTypes: '{name} is typing',

    remove: 'Remove this message',
    removeAsk: 'Remove this message?',
    removeHint: 'Nobody can read it any more, neither the visitor nor your team. This can’t be undone.',
    removeConfirm: 'Remove',
    cancel: 'Cancel',

    files: 'Files',
    showFile: 'Show {name}',
    saveFile: 'Save {name}',
    save: 'Save',
    closeDialog: 'Close',
    attach: 'Attach files',
    drop: 'Drop files here',
    removeFile: 'Remove {name}',
    uploading: 'Uploading {name}',
    tooManyFiles: 'A message can have at most 5 files.',
    fileProblems: {
      tooLarge: 'Larger than 10 MB.',
      refused: 'Only pictures, PDFs and plain text can be sent.',
      unreachable: 'Not uploaded.',
    },

    composer: 'Write',
    reply: 'Reply',
    note: 'Note',
    writeReply: 'Write to {name}',
    writeNote: 'Write a note for your team',
    /** Above the field, before somebody takes over. */
    botAnswers: 'The bot is answering.',
    visitorWaits: '{name} is waiting for a person.',
    memberAnswers: '{name} is answering here.',
    isClosed: 'This conversation is closed. A reply opens it again.',
    claimedByOther: '{name} has taken over. Your text is kept.',
    answeredMeanwhile: '{name} has answered since you began to write.',
    sendAnyway: 'Send anyway',
    someone: 'Somebody',
    send: 'Send',
    sendWhenBack: 'Send when back',
    addNote: 'Add note',
    charactersLeft: plural({ one: '{count} character left', other: '{count} characters left' }),

    person: 'Person',
    showPerson: 'About this person',
    hidePerson: 'Close',
    verified: 'Verified by your site',
    verifiedHint: 'Your server has said who this is.',
    guestHint: 'Nobody has said who this is.',
    email: 'Email',
    phone: 'Phone',
    language: 'Language',
    page: 'Current page',
    pageHint: 'As the page says',
    verifiedAttributes: 'Verified',
    verifiedAttributesHint: 'Your server has said this.',
    claimedAttributes: 'Claimed',
    claimedAttributesHint: 'The page has said this. Anyone can forge it.',
    yes: 'Yes',
    no: 'No',
    times: 'Times',
    knownSince: 'Contact since',
    began: 'Conversation began',
    lastMessage: 'Last message',

    /** As the Markdown renderer of the widget takes them. */
    markdown: { copy: 'Copy', copied: 'Copied', code: 'Code', table: 'Table' },
  },
}

/** The texts of one language, as components use them. */
export type Strings = typeof en
