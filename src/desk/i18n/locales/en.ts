import type { PluralForms } from '../format.ts'

const plural = (forms: PluralForms): PluralForms => forms

/** The texts of the desk. `{…}` is a placeholder. */
export const en = {
  lang: 'en',
  today: 'Today',
  yesterday: 'Yesterday',

  app: {
    title: 'Desk',
    retry: 'Try again',
    cancel: 'Cancel',
    close: 'Close',
    email: 'Email',
    password: 'Password',
    unreachable: 'The desk can’t be reached.',
    failed: 'Something went wrong in this page.',
    reload: 'Reload',
    offline: 'You’re offline. What you write is kept.',
    reconnecting: 'Reconnecting…',
    inbox: 'Inbox',
    keys: 'Keyboard shortcuts',
    account: 'Your account',
    signOut: 'Sign out',
    signOutAsk: 'Sign out without sending?',
    signOutHint: 'Something that you have written is not sent yet. It would be lost.',
    signOutFailed: 'You’re still signed in: the desk can’t be reached.',
  },

  signIn: {
    title: 'Sign in',
    hint: 'Read and answer your team’s chats.',
    ended: 'Your session has ended. Please sign in again.',
    /** The button that leads to the OpenID Connect provider. */
    withProvider: 'Sign in with {host}',
    wrong: 'Email or password is wrong.',
    limited: 'Too many attempts. Please wait a few minutes.',
    failed: 'That didn’t work. Please try again.',
  },

  invitation: {
    title: 'Join {organization}',
    hint: 'Choose a password, and you can answer chats.',
    /** Without passwords. */
    providerHint: 'Sign in as {email}, and you can answer chats.',
    name: 'Your name',
    nameHint: 'Visitors see it with your answers.',
    passwordHint: 'At least {count} characters.',
    submit: 'Join',
    ended: 'This invitation has ended',
    endedHint: 'It was used, or it is older than a day. Ask your admin for a new one.',
    incomplete: 'Please open the link again',
    incompleteHint: 'For your safety, this page forgets the invitation when it is reloaded.',
    toSignIn: 'Sign in instead',
    taken: 'Somebody with this email already has an account.',
  },

  inbox: {
    conversations: 'Conversations',
    views: {
      waiting: 'Waiting',
      mine: 'Mine',
      unassigned: 'Unassigned',
      bot: 'Bot',
      closed: 'Closed',
      all: 'All',
    },
    /** What a view without conversations says. */
    empty: {
      waiting: 'Nobody is waiting.',
      mine: 'No open chats of yours.',
      unassigned: 'Every chat has somebody.',
      bot: 'The bot isn’t handling any chats.',
      closed: 'No closed chats yet.',
      all: 'No chats yet.',
    },
    botHandles: plural({ one: 'The bot is handling {count} chat.', other: 'The bot is handling {count} chats.' }),
    loading: 'Loading conversations…',
    loadFailed: 'The conversations couldn’t be loaded.',
    newRows: plural({ one: '{count} new', other: '{count} new' }),
    showNew: plural({ one: 'Show {count} new conversation', other: 'Show {count} new conversations' }),
    peopleWait: plural({ one: '{count} person is waiting', other: '{count} people are waiting' }),

    nothingOpen: 'Choose a conversation to read it. Looking takes nothing from anybody.',
    guest: 'Guest',
    /** Before the text of a row. */
    fromYou: 'You: {text}',
    fromBot: 'Bot: {text}',
    fromName: '{name}: {text}',
    fromTeam: 'Team: {text}',
    removed: 'Message removed',
    events: {
      handed_back: 'Handed back to the bot',
      handover_requested: 'Asked for a person',
      handover_expired: 'Nobody answered in time',
    },
    /** The third line of a row. */
    waiting: 'Waiting · {duration}',
    asked: 'Asked for a person · {duration}',
    overdue: 'Overdue · waiting {duration}',
    server: 'Your server answers',
    /** Read aloud for a row, joined by commas. */
    readWaiting: 'waiting {duration}',
    readUnread: plural({ one: '{count} unread', other: '{count} unread' }),
  },

  /** What calls the member. */
  alerts: {
    title: 'When somebody waits',
    sound: 'Play a sound',
    notifications: 'Show a notification',
    texts: 'With what the visitor wrote',
    waits: '{name} is waiting',
    writes: '{name} has written',
  },

  keys: {
    lettersOn: 'Shortcuts with a single key',
    next: 'Next conversation',
    previous: 'Previous conversation',
    open: 'Open it',
    note: 'Write a note',
    handBack: 'Hand back to the bot',
    closeNext: 'Close and open the next',
    list: 'This list',
  },

  /** The opened conversation. */
  conversation: {
    loading: 'Loading the conversation…',
    loadFailed: 'This conversation couldn’t be loaded.',
    missing: 'This conversation doesn’t exist, or it isn’t yours to see.',
    back: 'Back to the list',
    thread: 'Conversation',
    log: 'Messages with {name}',
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
    read: 'Seen',
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

    files: 'Files',
    showFile: 'Show {name}',
    saveFile: 'Save {name}',
    save: 'Save',
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
    writeReply: 'Write a reply',
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
    verified: 'Verified by your site',
    verifiedHint: 'Your server has said who this is.',
    guestHint: 'Nobody has said who this is.',
    phone: 'Phone',
    language: 'Language',
    page: 'Page',
    verifiedAttributes: 'Verified',
    verifiedAttributesHint: 'Your server has said this.',
    claimedAttributes: 'Claimed',
    claimedAttributesHint: 'The page has said this. Anyone can forge it.',
    yes: 'Yes',
    no: 'No',
    times: 'Times',
    knownSince: 'Contact since',
    began: 'Began',
    lastMessage: 'Last message',

    /** As the Markdown renderer of the widget takes them. */
    markdown: { copy: 'Copy', copied: 'Copied', code: 'Code', table: 'Table' },
  },
}

/** The texts of one language, as components use them. */
export type Strings = typeof en
