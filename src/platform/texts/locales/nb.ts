import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Hei!\nHva kan vi hjelpe deg med?',
  hello: 'Hei, {name}!',
  help: 'Hva kan jeg hjelpe deg med?',
  welcome: 'Bare hyggelig!',
  unknown: 'Beklager, det vet jeg ikke svaret på.',
  topics: 'Du kan spørre meg om et av disse temaene:',
  files: 'Takk. Jeg kan ikke åpne filer selv.',
  person: 'Snakk med en person',
  apology: 'Beklager, jeg klarte ikke å svare akkurat nå. Meldingen din er lagret: prøv igjen.',
  retry: 'Prøv igjen',
  cutOff: '(Dette svaret ble avbrutt før slutten.)',
  tooMany: 'Det er mer enn jeg kan svare på samtidig. Vent et minutt og prøv igjen.',
  noMoreToday: 'Jeg kan ikke svare på flere spørsmål i dag. Prøv igjen i morgen.',
}

export const emails: EmailTexts = {
  unread: 'Ny melding fra {name}',
  openChat: 'Åpne chatten',
  moreInChat: 'Det er flere meldinger i chatten.',
  unreadReason: 'Du får denne e-posten fordi du har uleste meldinger i chatten på {site}.',
  unsubscribe: 'Stopp disse e-postene',
  askUnsubscribe: 'Vil du slutte å få e-post om uleste meldinger i chatten?',
  unsubscribed: 'Du får ikke lenger e-post om uleste meldinger.',
  resubscribe: 'Få disse e-postene igjen',
  resubscribed: 'Du får e-post om uleste meldinger igjen.',
  confirmAddress: 'Bekreft e-postadressen din',
  confirmHint: 'Deretter får du svar på denne adressen. Hvis du ikke har bedt om det, trenger du ikke gjøre noe.',
  confirm: 'Bekreft adressen',
  confirmReason: 'Du får denne e-posten fordi noen har oppgitt denne adressen i chatten på {site}.',
  askConfirm: 'Vil du få svar fra chatten på e-postadressen din?',
  confirmed: 'Ferdig. Du får svar her.',
  linkEnded: 'Denne lenken virker ikke lenger.',
}
