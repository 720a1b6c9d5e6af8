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
