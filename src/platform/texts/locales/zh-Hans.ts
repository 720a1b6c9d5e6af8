import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: '您好！\n有什么可以帮您？',
  hello: '{name}，您好！',
  help: '有什么可以帮您？',
  welcome: '不客气！',
  unknown: '抱歉，我不知道这个问题的答案。',
  topics: '您可以向我询问以下主题：',
  files: '谢谢。我无法打开文件。',
  person: '转人工客服',
  apology: '抱歉，我暂时无法回答。您的消息已保存，请重试。',
  retry: '重试',
  cutOff: '（此回答未完成便中断了。）',
  tooMany: '您的提问过于频繁，请等一分钟后再试。',
  noMoreToday: '今天我无法再回答更多问题，请明天再试。',
}

export const emails: EmailTexts = {
  unread: '{name} 发来新消息',
  openChat: '打开聊天',
  moreInChat: '聊天中还有更多消息。',
  unreadReason: '您收到此邮件，是因为您在 {site} 的聊天中有未读消息。',
  unsubscribe: '不再接收此类邮件',
  askUnsubscribe: '要停止接收聊天未读消息的邮件吗？',
  unsubscribed: '您将不再收到未读消息的邮件。',
  resubscribe: '重新接收此类邮件',
  resubscribed: '您将重新收到未读消息的邮件。',
  confirmAddress: '请确认您的电子邮箱地址',
  confirmHint: '确认后，回复会发送到此地址。如果这不是您的请求，请忽略此邮件。',
  confirm: '确认地址',
  confirmReason: '有人在 {site} 的聊天中填写了此地址，因此您收到这封邮件。',
  askConfirm: '您想通过电子邮箱接收聊天回复吗？',
  confirmed: '已完成。回复会发送到这里。',
  linkEnded: '此链接已失效。',
}
