/**
 * The English texts that the core contains. `{…}` is a placeholder. They are worded to fit any number, because plural forms
 * exist only in locale files.
 */
export const texts = {
  // Language and direction of these texts, for screen readers and for the format of dates.
  lang: 'en',
  dir: 'ltr',
  chatUnread: 'Chat, {count} unread',
  close: 'Close chat',
  retry: 'Retry',
  writeMessage: 'Write a message',
  // In place of `writeMessage` while nobody can write, because it is not known who would.
  oneMoment: 'One moment…',
  send: 'Send',
  // The button that stops the reply that the bot is writing.
  stop: 'Stop the answer',
  // The button that replaces the composer if a bot is only for people who are signed in.
  signIn: 'Sign in to chat',
  menu: 'More',
  sound: 'Sound for new messages',
  saveConversation: 'Save conversation',
  // The menu item for contacts, and the dialog that shows what is stored about them.
  yourData: 'Your data',
  messages: 'Messages',
  since: 'Since',
  eraseData: 'Erase everything',
  eraseAsk: 'Erase your data and this conversation?',
  eraseHint: 'This can’t be undone.',
  endChat: 'End chat',
  endChatAsk: 'End this chat?',
  endChatHint: 'Its messages will be removed from this browser.',
  cancel: 'Cancel',
  chattingAs: 'Chatting as {name}',
  // For screen readers: the name disappears.
  signedOut: 'You’re signed out.',
  greetContact: 'Good to see you, {name}.',
  connecting: 'Connecting…',
  reconnecting: 'Reconnecting…',
  offline: 'You’re offline',
  offlineHint: 'We’ll send your messages when you’re back online.',
  identifying: 'Signing you in…',
  restoring: 'Opening your conversation…',
  transcript: 'Conversation',
  today: 'Today',
  yesterday: 'Yesterday',
  you: 'You',
  agent: 'Team member',
  agentJoined: '{name} joined',
  handedBack: 'You’re talking to the assistant again',
  talkToPerson: 'Talk to a person',
  handoverRequested: 'We’ve let the team know. Someone will answer you here.',
  handoverExpired: 'Nobody is available right now. You’re talking to the assistant again.',
  // {day} is such as “tomorrow” or “Monday”.
  teamBack: 'Team back {day} at {time}',
  // In the menu.
  leaveEmail: 'Get answers by email',
  // Names the field for an email address.
  emailAsk: 'Where can we answer you?',
  emailInvalid: 'Please enter an email address.',
  emailSent: 'We’ve sent a link to {email}. Please confirm it.',
  typing: '{name} is typing',
  // While a model has not begun its answer.
  thinking: 'Thinking…',
  waiting: 'Waiting to send',
  limited: 'Too many messages. Will send at {time}',
  sending: 'Sending',
  sent: 'Sent',
  failed: 'Not sent.',
  delete: 'Delete',
  // Names the list of links below an answer, for screen readers.
  sources: 'Sources',
  // Stands in the place of a message that the organization has removed.
  removed: 'This message was removed.',
  helpful: 'Helpful',
  notHelpful: 'Not helpful',
  attach: 'Attach files',
  // Names the list of files, for screen readers.
  attachments: 'Files',
  dropFiles: 'Drop files here',
  removeFile: 'Remove {name}',
  saveFile: 'Save {name}',
  // Announced by screen readers when a file has been uploaded.
  fileReady: '{name} is ready to send',
  fileTooLarge: 'This file is too large.',
  fileEmpty: 'This file is empty.',
  fileRefused: 'Only PNG, JPEG, WebP and GIF pictures of up to 40 megapixels, PDFs and plain text can be sent.',
  // The limit of the day.
  filesFull: 'Too many files today. Please try again tomorrow.',
  uploadFailed: 'Couldn’t upload this file.',
  downloadFailed: 'Couldn’t load this file.',
  tooManyFiles: 'A message can have at most 5 files.',
  noFolders: 'Folders can’t be sent. Please choose files.',
  newMessages: 'New messages',
  jumpToLatest: 'Jump to latest',
  loadingOlder: 'Loading earlier messages…',
  historyFailed: 'Couldn’t load earlier messages.',
  // Why a session ended, by the reasons of the platform.
  revoked: 'Your session has ended.',
  expired: 'Your session has expired.',
  contact_deleted: 'This conversation has been deleted.',
  botUnavailable: 'Chat isn’t available right now.',
  storageBlocked: 'This chat isn’t saved and ends when you leave this page.',
  charactersLeft: 'Characters left: {count}',
  draftTruncated: 'No more text fits here.',
  renderFailed: 'Couldn’t show the chat.',
  dismiss: 'Dismiss',
  copy: 'Copy',
  copied: 'Copied',
  code: 'Code',
  table: 'Table',
} as const satisfies Record<string, string>
