import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Guten Tag!\nWie können wir Ihnen helfen?',
  hello: 'Guten Tag, {name}!',
  help: 'Wie kann ich Ihnen helfen?',
  welcome: 'Gern geschehen!',
  unknown: 'Darauf weiß ich leider keine Antwort.',
  topics: 'Sie können mich zum Beispiel danach fragen:',
  files: 'Vielen Dank. Dateien kann ich selbst nicht öffnen.',
  person: 'Mit einem Menschen sprechen',
  apology:
    'Das konnte ich gerade leider nicht beantworten. Ihre Nachricht ist gespeichert: Bitte versuchen Sie es noch einmal.',
  retry: 'Noch einmal versuchen',
  cutOff: '(Diese Antwort bricht vor ihrem Ende ab.)',
  tooMany:
    'So viele Fragen kann ich nicht auf einmal beantworten. Bitte warten Sie eine Minute und versuchen Sie es dann erneut.',
  noMoreToday: 'Heute kann ich leider keine weiteren Fragen beantworten. Bitte versuchen Sie es morgen wieder.',
}

export const emails: EmailTexts = {
  unread: 'Neue Nachricht von {name}',
  openChat: 'Chat öffnen',
  moreInChat: 'Im Chat sind weitere Nachrichten.',
  unreadReason: 'Sie erhalten diese E-Mail, weil Sie ungelesene Nachrichten im Chat auf {site} haben.',
  unsubscribe: 'Diese E-Mails abbestellen',
  askUnsubscribe: 'Möchten Sie die E-Mails über ungelesene Nachrichten im Chat abbestellen?',
  unsubscribed: 'Sie erhalten keine E-Mails über ungelesene Nachrichten mehr.',
  resubscribe: 'Diese E-Mails wieder erhalten',
  resubscribed: 'Sie erhalten wieder E-Mails über ungelesene Nachrichten.',
  confirmAddress: 'Bitte bestätigen Sie Ihre E-Mail-Adresse',
  confirmHint: 'Danach erreichen Sie Antworten unter dieser Adresse. Wenn Sie das nicht wollten, tun Sie nichts.',
  confirm: 'Adresse bestätigen',
  confirmReason: 'Sie erhalten diese E-Mail, weil jemand diese Adresse im Chat auf {site} angegeben hat.',
  askConfirm: 'Möchten Sie Antworten aus dem Chat an Ihre E-Mail-Adresse erhalten?',
  confirmed: 'Fertig. Antworten erreichen Sie hier.',
  linkEnded: 'Dieser Link ist nicht mehr gültig.',
}
