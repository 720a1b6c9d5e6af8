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
