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
