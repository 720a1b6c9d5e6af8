import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Olá!\nComo podemos ajudar?',
  hello: 'Olá, {name}!',
  help: 'Como posso ajudar?',
  welcome: 'De nada!',
  unknown: 'Lamento, não sei a resposta a essa pergunta.',
  topics: 'Pode perguntar-me sobre um destes assuntos:',
  files: 'Obrigado. Não consigo abrir ficheiros.',
  person: 'Falar com uma pessoa',
  apology: 'Lamento, não consegui responder neste momento. A sua mensagem está guardada: tente novamente.',
  retry: 'Tentar novamente',
  cutOff: '(Esta resposta foi interrompida antes do fim.)',
  tooMany: 'É mais do que consigo responder de uma só vez. Aguarde um minuto e tente novamente.',
  noMoreToday: 'Hoje já não posso responder a mais perguntas. Tente novamente amanhã.',
}
