/** What emails about a conversation say, and the pages to which they link. */
export interface EmailTexts {
  /** The subject of the email about unread messages. `{name}` is who has written the last one. */
  unread: string
  /** Its button. */
  openChat: string
  /** Under the messages, if there are more than it shows. */
  moreInChat: string
  /** Why somebody gets it. `{site}` is the host of the site. */
  unreadReason: string
  /** The link, and the button of its page, that end these emails. */
  unsubscribe: string
  /** What the page asks. */
  askUnsubscribe: string
  unsubscribed: string
  /** The button that takes it back. */
  resubscribe: string
  resubscribed: string
  /** The subject of the email that asks an anonymous visitor to confirm an address. */
  confirmAddress: string
  /** What it says, and its button, which is also that of its page. */
  confirmHint: string
  confirm: string
  /** Why somebody gets it. `{site}` is the host of the site. */
  confirmReason: string
  /** What the page asks. */
  askConfirm: string
  confirmed: string
  /** The page of a link that is not known, or not any more. */
  linkEnded: string
}

export const englishEmails: EmailTexts = {
  unread: 'New message from {name}',
  openChat: 'Open the chat',
  moreInChat: 'There are more messages in the chat.',
  unreadReason: 'You get this email because you have unread messages in the chat on {site}.',
  unsubscribe: 'Stop these emails',
  askUnsubscribe: 'Do you want to stop emails about unread messages in the chat?',
  unsubscribed: 'You will get no more emails about unread messages.',
  resubscribe: 'Get these emails again',
  resubscribed: 'You will get emails about unread messages again.',
  confirmAddress: 'Please confirm your email address',
  confirmHint: 'Then answers reach you at this address. If you did not ask for this, do nothing.',
  confirm: 'Confirm the address',
  confirmReason: 'You get this email because somebody has entered this address in the chat on {site}.',
  askConfirm: 'Do you want answers from the chat to reach you at your email address?',
  confirmed: 'Done. Answers reach you here.',
  linkEnded: 'This link does not work any more.',
}
