import type { EmailTexts } from '../emailTexts.ts'
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

export const emails: EmailTexts = {
  unread: 'Nova mensagem de {name}',
  openChat: 'Abrir o chat',
  moreInChat: 'Há mais mensagens no chat.',
  unreadReason: 'Recebeu este e-mail porque tem mensagens por ler no chat de {site}.',
  unsubscribe: 'Deixar de receber estes e-mails',
  askUnsubscribe: 'Quer deixar de receber e-mails sobre mensagens por ler no chat?',
  unsubscribed: 'Já não receberá e-mails sobre mensagens por ler.',
  resubscribe: 'Voltar a receber estes e-mails',
  resubscribed: 'Voltará a receber e-mails sobre mensagens por ler.',
  confirmAddress: 'Confirme o seu endereço de e-mail',
  confirmHint: 'Depois disso, as respostas chegarão a este endereço. Se não pediu isto, não faça nada.',
  confirm: 'Confirmar o endereço',
  confirmReason: 'Recebe este e-mail porque alguém indicou este endereço no chat de {site}.',
  askConfirm: 'Quer receber as respostas do chat no seu endereço de e-mail?',
  confirmed: 'Concluído. As respostas chegarão aqui.',
  linkEnded: 'Esta ligação já não funciona.',
}
