import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Halo!\nAda yang bisa kami bantu?',
  hello: 'Halo, {name}!',
  help: 'Ada yang bisa saya bantu?',
  welcome: 'Sama-sama!',
  unknown: 'Maaf, saya tidak tahu jawabannya.',
  topics: 'Anda dapat bertanya tentang salah satu topik ini:',
  files: 'Terima kasih. Saya tidak dapat membuka file.',
  person: 'Bicara dengan orang',
  apology: 'Maaf, saya tidak dapat menjawab saat ini. Pesan Anda tersimpan: silakan coba lagi.',
  retry: 'Coba lagi',
  cutOff: '(Jawaban ini terputus sebelum selesai.)',
  tooMany: 'Pertanyaannya terlalu banyak untuk saya jawab sekaligus. Silakan tunggu satu menit, lalu coba lagi.',
  noMoreToday: 'Saya tidak dapat menjawab pertanyaan lagi hari ini. Silakan coba lagi besok.',
}

export const emails: EmailTexts = {
  unread: 'Pesan baru dari {name}',
  openChat: 'Buka chat',
  moreInChat: 'Masih ada pesan lain di chat.',
  unreadReason: 'Anda menerima email ini karena ada pesan yang belum dibaca di chat {site}.',
  unsubscribe: 'Hentikan email ini',
  askUnsubscribe: 'Hentikan email tentang pesan chat yang belum dibaca?',
  unsubscribed: 'Anda tidak akan lagi menerima email tentang pesan yang belum dibaca.',
  resubscribe: 'Terima email ini lagi',
  resubscribed: 'Anda akan kembali menerima email tentang pesan yang belum dibaca.',
  confirmAddress: 'Harap konfirmasi alamat email Anda',
  confirmHint: 'Setelah itu, jawaban akan sampai ke alamat ini. Jika Anda tidak memintanya, abaikan saja.',
  confirm: 'Konfirmasi alamat',
  confirmReason: 'Anda menerima email ini karena seseorang memasukkan alamat ini di chat {site}.',
  askConfirm: 'Apakah Anda ingin menerima jawaban chat di alamat email Anda?',
  confirmed: 'Selesai. Jawaban akan sampai kepada Anda di sini.',
  linkEnded: 'Tautan ini sudah tidak berlaku.',
}
