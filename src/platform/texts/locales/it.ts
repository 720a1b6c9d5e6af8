import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Ciao!\nCome possiamo aiutarti?',
  hello: 'Ciao {name}!',
  help: 'Come posso aiutarti?',
  welcome: 'Di niente!',
  unknown: 'Mi dispiace, non conosco la risposta.',
  topics: 'Puoi chiedermi di uno di questi argomenti:',
  files: 'Grazie. Non posso aprire i file.',
  person: 'Parla con una persona',
  apology: 'Mi dispiace, al momento non sono riuscito a rispondere. Il tuo messaggio è al sicuro: riprova.',
  retry: 'Riprova',
  cutOff: '(Questa risposta si è interrotta prima della fine.)',
  tooMany: 'Sono più domande di quante possa gestirne in una volta. Attendi un minuto e riprova.',
  noMoreToday: 'Per oggi non posso rispondere ad altre domande. Riprova domani.',
}

export const emails: EmailTexts = {
  unread: 'Nuovo messaggio da {name}',
  openChat: 'Apri la chat',
  moreInChat: 'Nella chat ci sono altri messaggi.',
  unreadReason: 'Ricevi questa email perché hai messaggi non letti nella chat di {site}.',
  unsubscribe: 'Non ricevere più queste email',
  askUnsubscribe: 'Vuoi smettere di ricevere email sui messaggi non letti della chat?',
  unsubscribed: 'Non riceverai più email sui messaggi non letti.',
  resubscribe: 'Ricevi di nuovo queste email',
  resubscribed: 'Riceverai di nuovo email sui messaggi non letti.',
  confirmAddress: 'Conferma il tuo indirizzo e-mail',
  confirmHint: 'Dopo, le risposte ti arriveranno a questo indirizzo. Se non l’hai chiesto, non fare nulla.',
  confirm: 'Conferma l’indirizzo',
  confirmReason: 'Ricevi questa e-mail perché qualcuno ha inserito questo indirizzo nella chat di {site}.',
  askConfirm: 'Vuoi ricevere le risposte della chat al tuo indirizzo e-mail?',
  confirmed: 'Fatto. Le risposte ti arriveranno qui.',
  linkEnded: 'Questo link non è più valido.',
}
