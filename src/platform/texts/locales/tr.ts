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
