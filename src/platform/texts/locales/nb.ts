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
