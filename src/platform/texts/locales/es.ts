import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: '¡Hola!\n¿Cómo podemos ayudarte?',
  hello: '¡Hola, {name}!',
  help: '¿Cómo puedo ayudarte?',
  welcome: '¡De nada!',
  unknown: 'Lo siento, no sé la respuesta a eso.',
  topics: 'Puedes preguntarme sobre uno de estos temas:',
  files: 'Gracias. No puedo abrir archivos.',
  person: 'Hablar con una persona',
  apology: 'Lo siento, no he podido responder ahora. Tu mensaje está guardado: inténtalo de nuevo.',
  retry: 'Intentar de nuevo',
  cutOff: '(Esta respuesta quedó cortada antes de terminar.)',
  tooMany: 'Son más preguntas de las que puedo responder a la vez. Espera un minuto e inténtalo de nuevo.',
  noMoreToday: 'Hoy no puedo responder más preguntas. Inténtalo de nuevo mañana.',
}

export const emails: EmailTexts = {
  unread: 'Nuevo mensaje de {name}',
  openChat: 'Abrir el chat',
  moreInChat: 'Hay más mensajes en el chat.',
  unreadReason: 'Recibes este correo porque tienes mensajes sin leer en el chat de {site}.',
  unsubscribe: 'Dejar de recibir estos correos',
  askUnsubscribe: '¿Quieres dejar de recibir correos sobre mensajes sin leer en el chat?',
  unsubscribed: 'Ya no recibirás correos sobre mensajes sin leer.',
  resubscribe: 'Volver a recibir estos correos',
  resubscribed: 'Volverás a recibir correos sobre mensajes sin leer.',
  confirmAddress: 'Confirma tu dirección de correo',
  confirmHint: 'Después, las respuestas te llegarán a esta dirección. Si no lo has pedido, no hagas nada.',
  confirm: 'Confirmar la dirección',
  confirmReason: 'Recibes este correo porque alguien ha indicado esta dirección en el chat de {site}.',
  askConfirm: '¿Quieres recibir las respuestas del chat en tu dirección de correo?',
  confirmed: 'Listo. Las respuestas te llegarán aquí.',
  linkEnded: 'Este enlace ya no es válido.',
}
