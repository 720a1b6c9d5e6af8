import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Bonjour\u00a0!\nComment pouvons-nous vous aider\u202f?',
  hello: 'Bonjour {name}\u202f!',
  help: 'Comment puis-je vous aider\u202f?',
  welcome: 'Avec plaisir\u202f!',
  unknown: 'Désolé, je ne connais pas la réponse à cette question.',
  topics: 'Vous pouvez m’interroger sur l’un de ces sujets\u00a0:',
  files: 'Merci. Je ne peux pas ouvrir de fichiers moi-même.',
  person: 'Parler à une personne',
  apology:
    'Désolé, je n’ai pas pu répondre pour le moment. Votre message est bien enregistré\u00a0: veuillez réessayer.',
  retry: 'Réessayer',
  cutOff: '(Cette réponse s’est arrêtée avant la fin.)',
  tooMany: 'C’est plus que je ne peux traiter à la fois. Veuillez patienter une minute et réessayer.',
  noMoreToday: 'Je ne peux plus répondre à d’autres questions aujourd’hui. Veuillez réessayer demain.',
}

export const emails: EmailTexts = {
  unread: 'Nouveau message de {name}',
  openChat: 'Ouvrir le chat',
  moreInChat: 'Il y a d’autres messages dans le chat.',
  unreadReason: 'Vous recevez cet e-mail parce que vous avez des messages non lus dans le chat de {site}.',
  unsubscribe: 'Ne plus recevoir ces e-mails',
  askUnsubscribe: 'Voulez-vous ne plus recevoir d’e-mails sur les messages non lus du chat\u202f?',
  unsubscribed: 'Vous ne recevrez plus d’e-mails sur les messages non lus.',
  resubscribe: 'Recevoir de nouveau ces e-mails',
  resubscribed: 'Vous recevrez de nouveau des e-mails sur les messages non lus.',
  confirmAddress: 'Veuillez confirmer votre adresse e-mail',
  confirmHint: 'Les réponses vous parviendront ensuite à cette adresse. Si vous n’avez rien demandé, ne faites rien.',
  confirm: 'Confirmer l’adresse',
  confirmReason: 'Vous recevez cet e-mail parce que quelqu’un a indiqué cette adresse dans le chat de {site}.',
  askConfirm: 'Voulez-vous recevoir les réponses du chat à votre adresse e-mail\u202f?',
  confirmed: 'C’est fait. Les réponses vous parviendront ici.',
  linkEnded: 'Ce lien n’est plus valable.',
}
