import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Cześć!\nW czym możemy Ci pomóc?',
  hello: 'Cześć, {name}!',
  help: 'W czym mogę Ci pomóc?',
  welcome: 'Nie ma za co!',
  unknown: 'Przepraszam, nie znam odpowiedzi na to pytanie.',
  topics: 'Możesz zapytać mnie o jeden z tych tematów:',
  files: 'Dziękuję. Nie mogę samodzielnie otwierać plików.',
  person: 'Porozmawiaj z człowiekiem',
  apology: 'Przepraszam, teraz nie udało mi się odpowiedzieć. Twoja wiadomość jest zapisana: spróbuj ponownie.',
  retry: 'Spróbuj ponownie',
  cutOff: '(Ta odpowiedź urwała się przed końcem.)',
  tooMany: 'To więcej, niż mogę obsłużyć naraz. Poczekaj minutę i spróbuj ponownie.',
  noMoreToday: 'Dziś nie mogę już odpowiadać na pytania. Spróbuj ponownie jutro.',
}

export const emails: EmailTexts = {
  unread: '{name}: nowa wiadomość',
  openChat: 'Otwórz czat',
  moreInChat: 'Na czacie są kolejne wiadomości.',
  unreadReason: 'Otrzymujesz ten e-mail, bo masz nieprzeczytane wiadomości na czacie w witrynie {site}.',
  unsubscribe: 'Nie wysyłaj więcej tych e-maili',
  askUnsubscribe: 'Czy chcesz przestać otrzymywać e-maile o nieprzeczytanych wiadomościach na czacie?',
  unsubscribed: 'Nie będziesz już otrzymywać e-maili o nieprzeczytanych wiadomościach.',
  resubscribe: 'Wysyłaj te e-maile ponownie',
  resubscribed: 'Znów będziesz otrzymywać e-maile o nieprzeczytanych wiadomościach.',
  confirmAddress: 'Potwierdź swój adres e-mail',
  confirmHint: 'Potem odpowiedzi będą przychodzić na ten adres. Jeśli to nie Ty, nic nie rób.',
  confirm: 'Potwierdź adres',
  confirmReason: 'Otrzymujesz tę wiadomość, ponieważ ktoś podał ten adres na czacie {site}.',
  askConfirm: 'Czy chcesz otrzymywać odpowiedzi z czatu na swój adres e-mail?',
  confirmed: 'Gotowe. Odpowiedzi będą przychodzić tutaj.',
  linkEnded: 'Ten link już nie działa.',
}
