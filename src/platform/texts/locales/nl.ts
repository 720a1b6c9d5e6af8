import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Hallo!\nWaarmee kunnen we je helpen?',
  hello: 'Hallo {name}!',
  help: 'Waarmee kan ik je helpen?',
  welcome: 'Graag gedaan!',
  unknown: 'Sorry, daar weet ik het antwoord niet op.',
  topics: 'Je kunt me iets vragen over een van deze onderwerpen:',
  files: 'Bedankt. Ik kan zelf geen bestanden openen.',
  person: 'Met een medewerker praten',
  apology: 'Sorry, dat kon ik nu niet beantwoorden. Je bericht is bewaard: probeer het opnieuw.',
  retry: 'Opnieuw proberen',
  cutOff: '(Dit antwoord is voortijdig afgebroken.)',
  tooMany: 'Dat is meer dan ik tegelijk kan beantwoorden. Wacht een minuut en probeer het opnieuw.',
  noMoreToday: 'Ik kan vandaag geen vragen meer beantwoorden. Probeer het morgen opnieuw.',
}

export const emails: EmailTexts = {
  unread: 'Nieuw bericht van {name}',
  openChat: 'Chat openen',
  moreInChat: 'Er staan nog meer berichten in de chat.',
  unreadReason: 'Je ontvangt deze e-mail omdat je ongelezen berichten hebt in de chat op {site}.',
  unsubscribe: 'Deze e-mails stoppen',
  askUnsubscribe: 'Wil je geen e-mails meer over ongelezen berichten in de chat?',
  unsubscribed: 'Je ontvangt geen e-mails meer over ongelezen berichten.',
  resubscribe: 'Deze e-mails weer ontvangen',
  resubscribed: 'Je ontvangt weer e-mails over ongelezen berichten.',
  confirmAddress: 'Bevestig je e-mailadres',
  confirmHint: 'Daarna krijg je antwoorden op dit adres. Heb je hier niet om gevraagd, doe dan niets.',
  confirm: 'Adres bevestigen',
  confirmReason: 'Je krijgt deze e-mail omdat iemand dit adres heeft opgegeven in de chat op {site}.',
  askConfirm: 'Wil je antwoorden uit de chat op je e-mailadres ontvangen?',
  confirmed: 'Klaar. Antwoorden bereiken je hier.',
  linkEnded: 'Deze link werkt niet meer.',
}
