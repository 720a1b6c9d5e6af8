import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Merhaba!\nSize nasıl yardımcı olabiliriz?',
  hello: 'Merhaba {name}!',
  help: 'Size nasıl yardımcı olabilirim?',
  welcome: 'Rica ederim!',
  unknown: 'Üzgünüm, bunun yanıtını bilmiyorum.',
  topics: 'Bana şu konulardan birini sorabilirsiniz:',
  files: 'Teşekkürler. Dosyaları kendim açamıyorum.',
  person: 'Bir kişiyle görüş',
  apology: 'Üzgünüm, şu anda yanıt veremedim. Mesajınız kaydedildi: lütfen tekrar deneyin.',
  retry: 'Tekrar dene',
  cutOff: '(Bu yanıt tamamlanmadan kesildi.)',
  tooMany: 'Bu, aynı anda yanıtlayabileceğimden fazla. Lütfen bir dakika bekleyip tekrar deneyin.',
  noMoreToday: 'Bugün daha fazla soru yanıtlayamıyorum. Lütfen yarın tekrar deneyin.',
}

export const emails: EmailTexts = {
  unread: 'Yeni mesaj: {name}',
  openChat: 'Sohbeti aç',
  moreInChat: 'Sohbette başka mesajlar da var.',
  unreadReason: 'Bu e-postayı, {site} sohbetinde okunmamış mesajlarınız olduğu için alıyorsunuz.',
  unsubscribe: 'Bu e-postaları durdur',
  askUnsubscribe: 'Sohbetteki okunmamış mesajlarla ilgili e-postaları durdurmak istiyor musunuz?',
  unsubscribed: 'Artık okunmamış mesajlarla ilgili e-posta almayacaksınız.',
  resubscribe: 'Bu e-postaları yeniden al',
  resubscribed: 'Okunmamış mesajlarla ilgili e-postaları yeniden alacaksınız.',
  linkEnded: 'Bu bağlantı artık geçerli değil.',
}
