import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Dobrý den!\nJak vám můžeme pomoci?',
  hello: 'Dobrý den, {name}!',
  help: 'Jak vám mohu pomoci?',
  welcome: 'Rádo se stalo!',
  unknown: 'Omlouvám se, na to neznám odpověď.',
  topics: 'Můžete se mě zeptat na některé z těchto témat:',
  files: 'Děkuji. Soubory sám otevřít neumím.',
  person: 'Promluvit si s člověkem',
  apology: 'Omlouvám se, teď se mi nepodařilo odpovědět. Vaše zpráva je v bezpečí, zkuste to prosím znovu.',
  retry: 'Zkusit znovu',
  cutOff: '(Tato odpověď skončila předčasně.)',
  tooMany: 'To je víc, než dokážu zodpovědět najednou. Počkejte prosím minutu a zkuste to znovu.',
  noMoreToday: 'Dnes už na další otázky odpovídat nemohu. Zkuste to prosím znovu zítra.',
}

export const emails: EmailTexts = {
  unread: '{name}: nová zpráva',
  openChat: 'Otevřít chat',
  moreInChat: 'V chatu jsou další zprávy.',
  unreadReason: 'Tento e-mail dostáváte, protože máte v chatu na {site} nepřečtené zprávy.',
  unsubscribe: 'Už tyto e-maily neposílat',
  askUnsubscribe: 'Chcete ukončit zasílání e-mailů o nepřečtených zprávách v chatu?',
  unsubscribed: 'E-maily o nepřečtených zprávách už dostávat nebudete.',
  resubscribe: 'Znovu tyto e-maily posílat',
  resubscribed: 'E-maily o nepřečtených zprávách budete znovu dostávat.',
  confirmAddress: 'Potvrďte prosím svou e-mailovou adresu',
  confirmHint: 'Po potvrzení vám budou odpovědi chodit na tuto adresu. Pokud jste o to nežádali, nedělejte nic.',
  confirm: 'Potvrdit adresu',
  confirmReason: 'Tento e-mail dostáváte, protože někdo zadal tuto adresu v chatu na {site}.',
  askConfirm: 'Chcete dostávat odpovědi z chatu na svou e-mailovou adresu?',
  confirmed: 'Hotovo. Odpovědi vám přijdou sem.',
  linkEnded: 'Tento odkaz už neplatí.',
}
