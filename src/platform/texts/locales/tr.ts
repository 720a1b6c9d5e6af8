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
  confirmAddress: 'Lütfen e-posta adresinizi onaylayın',
  confirmHint: 'Ardından yanıtlar bu adrese gelir. Bunu siz istemediyseniz bir şey yapmayın.',
  confirm: 'Adresi onayla',
  confirmReason: 'Birisi {site} sohbetinde bu adresi girdiği için bu e-postayı alıyorsunuz.',
  askConfirm: 'Sohbetteki yanıtları e-posta adresinizde almak ister misiniz?',
  confirmed: 'Tamam. Yanıtlar size buradan ulaşır.',
  linkEnded: 'Bu bağlantı artık geçerli değil.',
}
