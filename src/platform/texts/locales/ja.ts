import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'こんにちは。\nどのようなご用件でしょうか？',
  hello: '{name}様、こんにちは。',
  help: 'どのようなご用件でしょうか？',
  welcome: 'どういたしまして。',
  unknown: '申し訳ありませんが、その質問にはお答えできません。',
  topics: '次の項目についてご質問いただけます。',
  files: 'ありがとうございます。ファイルを開くことはできません。',
  person: '担当者と話す',
  apology:
    '申し訳ありませんが、ただいま回答できませんでした。メッセージは保存されていますので、もう一度お試しください。',
  retry: 'もう一度試す',
  cutOff: '（この回答は途中で終わっています。）',
  tooMany: '一度にお答えできる数を超えています。1分ほど待ってから、もう一度お試しください。',
  noMoreToday: '本日はこれ以上ご質問にお答えできません。明日もう一度お試しください。',
}

export const emails: EmailTexts = {
  unread: '{name}からの新着メッセージ',
  openChat: 'チャットを開く',
  moreInChat: 'チャットにはほかにもメッセージがあります。',
  unreadReason: '{site}のチャットに未読メッセージがあるため、このメールをお送りしています。',
  unsubscribe: 'このメールの配信を停止',
  askUnsubscribe: 'チャットの未読メッセージをお知らせするメールの配信を停止しますか？',
  unsubscribed: '未読メッセージのお知らせメールの配信を停止しました。',
  resubscribe: 'メールの配信を再開',
  resubscribed: '未読メッセージのお知らせメールの配信を再開しました。',
  confirmAddress: 'メールアドレスの確認をお願いします',
  confirmHint: '確認後、返信はこのアドレスに届きます。お心当たりがない場合は、何もしないでください。',
  confirm: 'アドレスを確認する',
  confirmReason: '{site} のチャットでこのアドレスが入力されたため、このメールをお送りしています。',
  askConfirm: 'チャットの返信をメールアドレスで受け取りますか？',
  confirmed: '完了しました。返信はこちらに届きます。',
  linkEnded: 'このリンクは無効になりました。',
}
