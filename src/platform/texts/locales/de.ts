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
