import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Olá!\nComo podemos ajudar?',
  hello: 'Olá, {name}!',
  help: 'Como posso ajudar?',
  welcome: 'De nada!',
  unknown: 'Desculpe, não sei a resposta para isso.',
  topics: 'Você pode me perguntar sobre um destes assuntos:',
  files: 'Obrigado. Não consigo abrir arquivos.',
  person: 'Falar com uma pessoa',
  apology: 'Desculpe, não consegui responder agora. Sua mensagem está salva: tente novamente.',
  retry: 'Tentar novamente',
  cutOff: '(Esta resposta foi interrompida antes do fim.)',
  tooMany: 'É mais do que consigo responder de uma vez. Aguarde um minuto e tente novamente.',
  noMoreToday: 'Não posso responder a mais perguntas hoje. Tente novamente amanhã.',
}

export const emails: EmailTexts = {
  unread: 'Nova mensagem de {name}',
  openChat: 'Abrir o chat',
  moreInChat: 'Há mais mensagens no chat.',
  unreadReason: 'Você recebeu este e-mail porque tem mensagens não lidas no chat de {site}.',
  unsubscribe: 'Parar de receber estes e-mails',
  askUnsubscribe: 'Você quer parar de receber e-mails sobre mensagens não lidas no chat?',
  unsubscribed: 'Você não receberá mais e-mails sobre mensagens não lidas.',
  resubscribe: 'Voltar a receber estes e-mails',
  resubscribed: 'Você voltará a receber e-mails sobre mensagens não lidas.',
  confirmAddress: 'Confirme seu endereço de e-mail',
  confirmHint: 'Depois disso, as respostas chegarão a este endereço. Se você não pediu isso, não faça nada.',
  confirm: 'Confirmar o endereço',
  confirmReason: 'Você recebeu este e-mail porque alguém informou este endereço no chat de {site}.',
  askConfirm: 'Quer receber as respostas do chat no seu endereço de e-mail?',
  confirmed: 'Pronto. As respostas chegarão até você aqui.',
  linkEnded: 'Este link não funciona mais.',
}
