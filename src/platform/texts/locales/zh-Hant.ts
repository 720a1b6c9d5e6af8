import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: '您好！\n有什麼可以為您服務的嗎？',
  hello: '{name}，您好！',
  help: '有什麼可以為您服務的嗎？',
  welcome: '不客氣！',
  unknown: '抱歉，我不知道這個問題的答案。',
  topics: '您可以詢問我以下主題：',
  files: '謝謝。我無法開啟檔案。',
  person: '轉接真人客服',
  apology: '抱歉，我暫時無法回答。您的訊息已儲存，請再試一次。',
  retry: '再試一次',
  cutOff: '（此回答未完成便中斷了。）',
  tooMany: '您的提問過於頻繁，請等一分鐘後再試。',
  noMoreToday: '今天我無法再回答更多問題，請明天再試。',
}

export const emails: EmailTexts = {
  unread: '{name} 傳來新訊息',
  openChat: '開啟聊天',
  moreInChat: '聊天中還有更多訊息。',
  unreadReason: '您收到這封郵件，是因為您在 {site} 的聊天中有未讀訊息。',
  unsubscribe: '不再接收這類郵件',
  askUnsubscribe: '要停止接收聊天未讀訊息的郵件嗎？',
  unsubscribed: '您將不會再收到未讀訊息的郵件。',
  resubscribe: '重新接收這類郵件',
  resubscribed: '您將重新收到未讀訊息的郵件。',
  confirmAddress: '請確認您的電子郵件地址',
  confirmHint: '確認後，回覆會寄到這個地址。如果這不是您的要求，請忽略此郵件。',
  confirm: '確認地址',
  confirmReason: '有人在 {site} 的聊天中填寫了這個地址，因此您收到這封郵件。',
  askConfirm: '您想透過電子郵件接收聊天回覆嗎？',
  confirmed: '已完成。回覆會寄到這裡。',
  linkEnded: '這個連結已失效。',
}
