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
