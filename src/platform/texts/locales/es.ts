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
